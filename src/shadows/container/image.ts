/** Chooses the image of a shadow and builds it: the user's own image, one from a Containerfile, or the skeleton. */
import { messageOf } from '../../foundation/error-message.ts';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { hexDigestOf } from '../../foundation/digest.ts';
import { err, ok, type Result } from '../../foundation/result.ts';
import { shadowProblem, type ShadowProblem } from '../../domain/shadow.ts';
import type { BuiltImage } from '../sandbox.ts';
import { failureText, type Runtime } from './runtime.ts';
import { HOST_USR_LABEL, skeletonImage, type Skeleton } from './skeleton.ts';

export interface ImageChoice {
  /** Used as it is, and never built. */
  readonly image: string | null;
  /** Built here; it may begin with `FROM localhost/baton-shadow:base`. */
  readonly containerfile: string | null;
}

export interface Image {
  readonly name: string;
  readonly base: string;
  readonly isSkeleton: boolean;
  build(runtime: Runtime, signal?: AbortSignal): Promise<Result<BuiltImage, ShadowProblem>>;
}

/** The name under which a Containerfile finds the skeleton. */
const SKELETON_NAME = 'localhost/baton-shadow:base';
const BUILD_MS = 15 * 60_000;

export function chooseImage({ image, containerfile }: ImageChoice): Result<Image, ShadowProblem> {
  if (image !== null) return ok(givenImage(image));
  const skeleton = skeletonImage();
  if (containerfile !== null) return builtImage(containerfile, skeleton);
  if (skeleton !== null) return ok(skeletonOnly(skeleton));
  return err(
    shadowProblem(
      'image_not_found',
      'the programs of this host do not all lie under /usr, so that they cannot be lent to a container',
      'name an image (shadow.image) or a Containerfile (shadow.containerfile) in baton.yaml',
    ),
  );
}

function givenImage(name: string): Image {
  const missing = shadowProblem('image_not_found', `there is no image ${JSON.stringify(name)} here`);
  return { name, base: `the image ${name}, as configured`, isSkeleton: false, build: async () => err(missing) };
}

function skeletonOnly(skeleton: Skeleton): Image {
  const base = 'an empty image with the host’s /usr read-only (no registry was asked)';
  return {
    name: skeleton.image,
    base,
    isSkeleton: true,
    build: async (runtime, signal) => {
      const imported = await importSkeleton(runtime, skeleton, skeleton.image, signal);
      return imported === null ? ok({ image: skeleton.image, base }) : err(imported);
    },
  };
}

async function importSkeleton(
  runtime: Runtime,
  { archive }: Skeleton,
  name: string,
  signal?: AbortSignal,
): Promise<ShadowProblem | null> {
  const ran = await runtime.run(['import', '--change', `LABEL ${HOST_USR_LABEL}`, '-', name], {
    input: archive,
    signal,
  });
  return ran.exitCode === 0 ? null : shadowProblem('build_failed', failureText(ran));
}

function builtImage(path: string, skeleton: Skeleton | null): Result<Image, ShadowProblem> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const says = `the Containerfile ${path} cannot be read: ${messageOf(error)}`;
    return err(shadowProblem('build_failed', says, 'correct shadow.containerfile in baton.yaml'));
  }
  const name = `localhost/baton-shadow-custom:${hexDigestOf(text).slice(0, 12)}`;
  const base = `built from ${path}`;
  return ok({
    name,
    base,
    isSkeleton: false,
    build: async (runtime, signal) => {
      if (skeleton !== null && text.includes(SKELETON_NAME)) {
        const problem = await importSkeleton(runtime, skeleton, SKELETON_NAME, signal);
        if (problem !== null) return err(problem);
      }
      // Its folder is the context of the build. Network and registries are as the user of this host has set them up.
      const args = ['build', '--tag', name, '--file', path, dirname(path)];
      const ran = await runtime.run(args, { timeoutMs: BUILD_MS, signal });
      return ran.exitCode === 0 ? ok({ image: name, base }) : err(shadowProblem('build_failed', failureText(ran)));
    },
  });
}

export async function imageExists(runtime: Runtime, name: string, signal?: AbortSignal): Promise<boolean> {
  const args = runtime.name === 'podman' ? ['image', 'exists', name] : ['image', 'inspect', name];
  return (await runtime.run(args, { signal })).exitCode === 0;
}

/** Whether its programs are the host's. */
export async function usesHostUsr(runtime: Runtime, image: Image, signal?: AbortSignal): Promise<boolean> {
  if (image.isSkeleton) return true;
  const [key = '', value = ''] = HOST_USR_LABEL.split('=');
  const format = `{{index .Config.Labels ${JSON.stringify(key)}}}`;
  const ran = await runtime.run(['image', 'inspect', '--format', format, image.name], { signal });
  return ran.stdout.toString('utf8').trim() === value;
}

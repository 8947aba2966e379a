#!/usr/bin/env node
/**
 * Prints what the published package is made of, in the form of CycloneDX: the packages whose code is inside `dist/`, as
 * `dist/notices/` names them. To npm all of them are tools of development, because nobody has to install them.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NOTICES = join(ROOT, 'dist/notices');

const texts = readdirSync(NOTICES).map((name) => readFileSync(join(NOTICES, name), 'utf8'));
const inside = new Set(
  texts.flatMap((text) =>
    [...text.matchAll(/^=+\n(\S+) (\S+) \(.+\)\n=+$/gm)].map(([, name, version]) => `${name}@${version}`),
  ),
);
const all = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application'], { cwd: ROOT, maxBuffer: 1e9 }),
);
const isInside = (ref) => ref === all.metadata.component['bom-ref'] || inside.has(ref.replace(/\|.*$/, ''));
const components = all.components.filter((each) => isInside(each['bom-ref']));
const dependencies = all.dependencies
  .filter(({ ref }) => isInside(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isInside) }));
const missing = [...inside].filter((ref) => !components.some((each) => each['bom-ref'].replace(/\|.*$/, '') === ref));
if (missing.length > 0) throw new Error(`npm does not know ${missing.join(', ')}, whose code is in dist/`);
console.log(JSON.stringify({ ...all, components, dependencies }, null, 2));

/** Certificates of our own, made by openssl for one test file and valid for a day: two authorities and what they signed. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { howToGet, needComponent } from './components.ts';

export const WITHOUT_OPENSSL = howToGet('openssl');

export interface Certificate {
  readonly certPath: string;
  readonly keyPath: string;
}

export interface Certificates {
  /** A new key and a certificate for it; `names` as in `DNS:localhost,IP:127.0.0.1`. */
  signedBy(authority: Certificate, subject: string, names?: string): Certificate;
  authority(subject: string): Certificate;
  remove(): void;
}

/** Null where there is no openssl and none may be installed. */
export async function makingCertificates(): Promise<Certificates | null> {
  const openssl = await needComponent('openssl');
  if (openssl === null) return null;
  const folder = mkdtempSync(join(tmpdir(), 'baton-certificates-'));
  let count = 0;
  const run = (...args: readonly string[]): unknown => execFileSync(openssl, args, { cwd: folder, stdio: 'pipe' });
  const paths = (): Certificate => {
    count += 1;
    return { certPath: join(folder, `${count}.crt`), keyPath: join(folder, `${count}.key`) };
  };
  const keyFor = ({ keyPath }: Certificate): unknown =>
    run('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-out', keyPath);

  return {
    authority: (subject) => {
      const made = paths();
      keyFor(made);
      run('req', '-x509', '-key', made.keyPath, '-out', made.certPath, '-days', '1', '-subj', `/CN=${subject}`);
      return made;
    },
    signedBy: (authority, subject, names) => {
      const made = paths();
      keyFor(made);
      const [request, extensions] = [`${made.certPath}.request`, `${made.certPath}.names`];
      run('req', '-new', '-key', made.keyPath, '-out', request, '-subj', `/CN=${subject}`);
      writeFileSync(extensions, names === undefined ? '' : `subjectAltName=${names}\n`);
      const signer = ['-CA', authority.certPath, '-CAkey', authority.keyPath, '-CAcreateserial'];
      run('x509', '-req', '-in', request, ...signer, '-extfile', extensions, '-days', '1', '-out', made.certPath);
      return made;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The code of an error of the system, such as `ENOENT`; null for errors of any other kind. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

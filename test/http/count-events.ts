/** A listener that only looks at the ids: fifty of them that read every event would be busier than the server. */
import { get } from 'node:http';
import { onTestFinished } from 'vitest';

export interface Counting {
  count(): number;
  /** What came twice or out of order. */
  readonly complaints: readonly string[];
}

/** The ids of SQLite's trail are numbers without a gap. */
export async function countListener(url: string, token: string): Promise<Counting> {
  const complaints: string[] = [];
  let count = 0;
  let last: number | null = null;
  let rest = '';
  return new Promise((resolve, reject) => {
    const request = get(`${url}/api/events`, { headers: { authorization: `Bearer ${token}` } }, (answer) => {
      answer.setEncoding('latin1').on('data', (text: string) => {
        const all = rest + text;
        const end = all.lastIndexOf('\n\n');
        rest = all.slice(end + 2);
        for (const found of all.slice(0, end + 1).matchAll(/^id: (\d+)\nevent: fact$/gm)) {
          const id = Number(found[1]);
          if (last !== null && id !== last + 1) complaints.push(`${id} after ${last}`);
          last = id;
          count += 1;
        }
      });
      answer.on('error', () => undefined);
      resolve({ count: () => count, complaints });
    });
    request.on('error', reject);
    onTestFinished(() => void request.destroy());
  });
}

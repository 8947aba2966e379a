import type { VNode } from 'preact';

interface BarsProps {
  readonly rows: readonly (readonly [name: string, count: number])[];
  readonly empty: string;
}

export function Bars({ rows, empty }: BarsProps): VNode {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  const most = Math.max(...rows.map(([, count]) => count));
  return (
    <table class="bars">
      <tbody>
        {rows.map(([name, count]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="bar-cell">
              <span class="bar-fill" style={{ width: `${(100 * count) / most}%` }} />
            </td>
            <td class="number">{count}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

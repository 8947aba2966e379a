/** Who carries what: loaded when there is something to carry. */
import { systemClock } from '../../foundation/clock.ts';
import type { Effect } from '../../domain/decision.ts';
import type { Carrier } from '../../engine/effects.ts';
import type { Notifications } from '../configuration-values.ts';

const WEBHOOK_LIMIT_MS = 10_000;

export function carriersBy({ webhooks, allowHosts }: Notifications): readonly Carrier[] {
  const secretEnvs = new Map(webhooks.map(({ url, secretEnv }) => [url, secretEnv]));
  const missingSecret = ({ payload }: Effect): string | null => {
    const { url = '' } = JSON.parse(payload) as { readonly url?: string };
    const name = secretEnvs.get(url) ?? null;
    const missing = name !== null && (process.env[name] ?? '') === '';
    return missing ? `${name} with the secret of the webhook is not set in this process` : null;
  };
  return [
    lazily({ kind: 'webhook', limitMs: WEBHOOK_LIMIT_MS, laneOf: hostOf }, async () => {
      const { webhookCarrier } = await import('./webhook.ts');
      const carrier = webhookCarrier({
        clock: systemClock,
        allowHosts,
        // Looked up when it is needed: the outbox holds no secrets, and a changed one is used at once.
        secretOf: ({ url }) => process.env[secretEnvs.get(url) ?? ''] ?? null,
      });
      return {
        ...carrier,
        carry: async (effect, signal) => {
          const missing = missingSecret(effect);
          // An unsigned delivery would be refused, or worse, believed.
          return missing === null ? carrier.carry(effect, signal) : { says: missing, targetDown: true };
        },
      };
    }),
    lazily({ kind: 'desktop' }, async () => (await import('./desktop.ts')).desktopCarrier()),
  ];
}

/** Most commands never carry anything. */
function lazily(known: Omit<Carrier, 'carry'>, load: () => Promise<Carrier>): Carrier {
  let loading: Promise<Carrier> | null = null;
  return {
    ...known,
    carry: async (effect, signal) => {
      loading ??= load();
      return (await loading).carry(effect, signal);
    },
  };
}

/** One receiver that is down does not hold up the others. */
function hostOf({ payload }: Effect): string {
  const { url } = JSON.parse(payload) as { readonly url?: string };
  return url !== undefined && URL.canParse(url) ? new URL(url).host : '';
}

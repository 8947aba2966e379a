/** Who carries what: loaded when there is something to carry. */
import { systemClock } from '../../foundation/clock.ts';
import type { JsonText } from '../../foundation/json.ts';
import type { Effect } from '../../domain/decision.ts';
import type { EffectSender } from '../../engine/effects.ts';
import type { DueEffect } from '../../stores/store.ts';
import type { Notifications, Webhook } from '../../workspace/configuration-values.ts';

const WEBHOOK_LIMIT_MS = 10_000;

/** `now` answers what is in force at the moment of a delivery; `refresh` looks whether a newer policy was stored. */
export function sendersFor(now: () => Notifications, refresh: () => Promise<void>): readonly EffectSender[] {
  return [
    webhooksBy(now, refresh),
    lazily({ kind: 'desktop' }, async () => (await import('./desktop.ts')).desktopSender()),
  ];
}

function webhooksBy(now: () => Notifications, refresh: () => Promise<void>): EffectSender {
  const targetFor = (effect: Effect): Webhook | null => targetOf(now().webhooks, effect);
  return lazily(
    {
      kind: 'webhook',
      limitMs: WEBHOOK_LIMIT_MS,
      laneOf: (effect) => hostOf(targetFor(effect)?.url ?? readTarget(effect).url),
      // An unsigned delivery would be refused, or worse, believed.
      notHere: (effect) => whyNotHere(targetFor(effect)),
      standsIn: () => now().webhooks.some((webhook) => webhook.secretEnv !== null && secretOf(webhook) !== null),
    },
    async () => {
      const { webhookSender: webhookCarrier } = await import('./webhook.ts');
      return {
        kind: 'webhook',
        carry: async (effect, signal) => {
          // The row may be of a policy that was stored a moment ago.
          if (targetFor(effect) === null) await refresh();
          const target = targetFor(effect);
          if (target === null)
            return { never: `the policy has no webhook ${readTarget(effect).target ?? 'with its url'} any more` };
          const notHere = whyNotHere(target);
          if (notHere !== null) return { says: notHere, targetDown: true };
          // Looked up when it is needed: the outbox holds no secrets, and a changed one is used at once.
          const secret = secretOf(target);
          const carrier = webhookCarrier({ clock: systemClock, allowHosts: now().allowHosts, secretOf: () => secret });
          return carrier.carry(addressedTo(target, effect), signal);
        },
      };
    },
  );
}

function whyNotHere(target: Webhook | null): string | null {
  if (target === null || target.secretEnv === null || secretOf(target) !== null) return null;
  return (
    `the webhook ${target.name} is signed with the secret in ${target.secretEnv}, which is not set in this process; ` +
    'it is left to a process that has it'
  );
}

function secretOf({ secretEnv }: Webhook): string | null {
  const secret = secretEnv === null ? '' : (process.env[secretEnv] ?? '');
  return secret === '' ? null : secret;
}

/** By its name; a row that was written before rows had one, by its url. */
function targetOf(webhooks: readonly Webhook[], effect: Effect): Webhook | null {
  const { target, url } = readTarget(effect);
  return webhooks.find((webhook) => (target === undefined ? webhook.url === url : webhook.name === target)) ?? null;
}

function readTarget({ payload }: Effect): { readonly target?: string; readonly url?: string } {
  return (JSON.parse(payload) ?? {}) as { readonly target?: string; readonly url?: string };
}

/** A receiver that has moved since is reached where the policy says. */
function addressedTo({ url }: Webhook, effect: DueEffect): DueEffect {
  return { ...effect, payload: JSON.stringify({ ...readTarget(effect), url }) as JsonText };
}

/** Most commands never carry anything. */
function lazily(known: Omit<EffectSender, 'carry'>, load: () => Promise<EffectSender>): EffectSender {
  let loading: Promise<EffectSender> | null = null;
  return {
    ...known,
    carry: async (effect, signal) => {
      loading ??= load();
      return (await loading).carry(effect, signal);
    },
  };
}

/** One receiver that is down does not hold up the others. */
function hostOf(url: string | undefined): string {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : '';
}

/** The senders of effects. What they need is loaded with the first delivery. */
import { systemClock } from '../../foundation/clock.ts';
import type { JsonText } from '../../foundation/json.ts';
import { lazyMethods, once } from '../../foundation/lazy-methods.ts';
import type { Effect } from '../../domain/decision.ts';
import type { EffectSender } from '../../engine/effects.ts';
import type { DueEffect } from '../../stores/store.ts';
import type { Notifications, Webhook } from '../../workspace/configuration-values.ts';

const WEBHOOK_LIMIT_MS = 10_000;

/** `now` returns the settings in force at the moment of a delivery; `refresh` reads a newer stored policy. */
export function sendersFor(now: () => Notifications, refresh: () => Promise<void>): readonly EffectSender[] {
  return [
    webhooksBy(now, refresh),
    {
      kind: 'desktop',
      ...lazyMethods(
        once(async () => (await import('./desktop.ts')).desktopSender()),
        ['send'],
      ),
    },
  ];
}

function webhooksBy(now: () => Notifications, refresh: () => Promise<void>): EffectSender {
  const targetFor = (effect: Effect): Webhook | null => targetOf(now().webhooks, effect);
  return {
    kind: 'webhook',
    limitMs: WEBHOOK_LIMIT_MS,
    laneOf: (effect) => hostOf(targetFor(effect)?.url ?? readTarget(effect).url),
    // The receiver refuses an unsigned delivery or, worse, believes it.
    whyNotHere: (effect) => whyNotHere(targetFor(effect)),
    canStandIn: () => now().webhooks.some((webhook) => webhook.secretEnv !== null && secretOf(webhook) !== null),
    send: async (effect, signal) => {
      // The effect may belong to a policy that was stored a moment ago.
      if (targetFor(effect) === null) await refresh();
      const target = targetFor(effect);
      if (target === null)
        return { never: `the policy has no webhook ${readTarget(effect).target ?? 'with its url'} any more` };
      const notHere = whyNotHere(target);
      if (notHere !== null) return { says: notHere, targetDown: true };
      const { webhookSender } = await import('./webhook.ts');
      // Read for each delivery: the outbox holds no secrets, and a changed secret counts at once.
      const secret = secretOf(target);
      const sender = webhookSender({ clock: systemClock, allowHosts: now().allowHosts, secretOf: () => secret });
      return sender.send(addressedTo(target, effect), signal);
    },
  };
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

/** By its name; an effect of an older version has only the url. */
function targetOf(webhooks: readonly Webhook[], effect: Effect): Webhook | null {
  const { target, url } = readTarget(effect);
  return webhooks.find((webhook) => (target === undefined ? webhook.url === url : webhook.name === target)) ?? null;
}

function readTarget({ payload }: Effect): { readonly target?: string; readonly url?: string } {
  return (JSON.parse(payload) ?? {}) as { readonly target?: string; readonly url?: string };
}

/** A receiver may have moved since: the url of the policy counts. */
function addressedTo({ url }: Webhook, effect: DueEffect): DueEffect {
  return { ...effect, payload: JSON.stringify({ ...readTarget(effect), url }) as JsonText };
}

/** One receiver that is down does not hold up the others. */
function hostOf(url: string | undefined): string {
  return url !== undefined && URL.canParse(url) ? new URL(url).host : '';
}

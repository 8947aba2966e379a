/** Secrets are found at every way into the database, whichever it is, and are never repeated by what tells of them. */
import { describe, expect, it, vi } from 'vitest';
import { SECRET_RULES } from '../../src/engine/secrets/rules.ts';
import { mayHoldSecret, PLAIN_SCANS, scanJson, scanText } from '../../src/engine/secrets/scan.ts';

const HEX = '0123456789abcdef'.repeat(4);
const LETTERS = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6kL9nO2qR5tU8wX1zA4cD7fG0iJ3'.repeat(4);
const ALPHA = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJ';

/** One for each rule. Put together here, so that no file holds anything that others would take for a secret. */
const SAMPLES: Readonly<Record<string, string>> = {
  'aws-access-key-id': `AKIA${'IOSFODNN7EXAMPLA'.replace(/[018]/g, '2').replace('9', '3')}`,
  'aws-secret-access-key': `aws_secret_access_key = ${LETTERS.slice(0, 40)}`,
  'github-token': `ghp_${LETTERS.slice(0, 36)}`,
  'github-fine-grained-token': `github_pat_${LETTERS.slice(0, 40)}`,
  'gitlab-token': `glpat-${LETTERS.slice(0, 20)}`,
  'slack-token': `xoxb-${LETTERS.slice(0, 24)}`,
  'slack-app-token': `xapp-1-${LETTERS.slice(0, 24)}`,
  'slack-webhook': `https://hooks.slack.com/services/T0123ABCD/B0123ABCD/${LETTERS.slice(0, 24)}`,
  'stripe-secret-key': `sk_live_${LETTERS.slice(0, 24)}`,
  'stripe-webhook-secret': `whsec_${LETTERS.slice(0, 32)}`,
  'google-api-key': `AIza${LETTERS.slice(0, 35)}`,
  'google-oauth-secret': `GOCSPX-${LETTERS.slice(0, 28)}`,
  'google-oauth-token': `ya29.${LETTERS.slice(0, 60)}`,
  'openai-key': `sk-proj-${LETTERS.slice(0, 48)}`,
  'anthropic-key': `sk-ant-api03-${LETTERS.slice(0, 90)}`,
  'openrouter-key': `sk-or-v1-${HEX}`,
  'groq-key': `gsk_${LETTERS.slice(0, 52)}`,
  'xai-key': `xai-${LETTERS.slice(0, 80)}`,
  'huggingface-token': `hf_${ALPHA.slice(0, 34)}`,
  'npm-token': `npm_${LETTERS.slice(0, 36)}`,
  'pypi-token': `pypi-${LETTERS.slice(0, 80)}`,
  'docker-token': `dckr_pat_${LETTERS.slice(0, 27)}`,
  'sendgrid-key': `SG.${LETTERS.slice(0, 22)}.${LETTERS.slice(0, 43)}`,
  'twilio-key': `SK${HEX.slice(0, 32)}`,
  'mailgun-key': `key-${HEX.slice(0, 32)}`,
  'mailchimp-key': `${HEX.slice(0, 32)}-us12`,
  'digitalocean-token': `dop_v1_${HEX}`,
  'heroku-key': `HRKU-AA${LETTERS.slice(0, 58)}`,
  'shopify-token': `shpat_${HEX.slice(0, 32)}`,
  'square-token': `sq0atp-${LETTERS.slice(0, 22)}`,
  'databricks-token': `dapi${HEX.slice(0, 32)}`,
  'doppler-token': `dp.pt.${LETTERS.slice(0, 43)}`,
  'linear-key': `lin_api_${LETTERS.slice(0, 40)}`,
  'notion-token': `ntn_${LETTERS.slice(0, 46)}`,
  'figma-token': `figd_${LETTERS.slice(0, 40)}`,
  'grafana-token': `glsa_${LETTERS.slice(0, 32)}_${HEX.slice(0, 8)}`,
  'vault-token': `hvs.${LETTERS.slice(0, 90)}`,
  'terraform-token': `${LETTERS.slice(0, 14)}.atlasv1.${LETTERS.slice(0, 64)}`,
  'telegram-bot-token': `123456789:AA${LETTERS.slice(0, 33)}`,
  'discord-webhook': `https://discord.com/api/webhooks/123456789012345678/${LETTERS.slice(0, 64)}`,
  'azure-storage-key': `AccountKey=${LETTERS.slice(0, 86)}==`,
  'baton-token': `baton_${LETTERS.slice(0, 43)}`,
  jwt: `eyJ${LETTERS.slice(0, 30)}.eyJ${LETTERS.slice(0, 60)}.${LETTERS.slice(0, 43)}`,
  'private-key': `-----BEGIN RSA PRIVATE KEY-----\n${LETTERS.slice(0, 64)}\n${LETTERS.slice(0, 64)}\n-----END RSA PRIVATE KEY-----`,
  'url-password': `postgres://app:${LETTERS.slice(0, 16)}@db.internal/x`,
  'assigned-secret': `DB_PASSWORD="${LETTERS.slice(0, 20)}"`,
};

const HARMLESS = [
  'please reset the password: the user forgot it',
  'tokens: 123456 of 200000 used',
  'the secret: there is none',
  'password=$DB_PASSWORD and api_key: ${API_KEY} and token: <your-token-1234567890>',
  'const token = await readToken(request);',
  'commit 3f2a9c1d8e7b6a5f4c3d2e1f0a9b8c7d6e5f4a3b, hoff-01a1e8e2-5893-77ec-9ff9-51f8fa5',
  'https://example.com:8080/a@b and https://user@example.com/path',
  'sk-learn, skin, task-key-value, AKIA is a prefix',
  'secret_env: WEBHOOK_SECRET_1234567890',
  'sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
] as const;

describe('the scan for secrets', () => {
  it('has about forty rules, each with an id of its own and a sample that only it finds', () => {
    const ids = SECRET_RULES.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(40);
    expect(Object.keys(SAMPLES).toSorted()).toEqual(ids.toSorted());
  });

  it.each(Object.entries(SAMPLES))('finds %s, alone and inside of a text, and leaves nothing of it', (rule, sample) => {
    expect(scanText(sample, 'title').findings).toEqual([{ rule, field: 'title' }]);
    const { findings, redacted } = scanJson({ input: { env: [`use ${sample} here`] } }, '');
    expect(findings).toEqual([{ rule, field: 'input.env[0]' }]);
    const text = JSON.stringify(redacted);
    expect(text).toContain(`[redacted:${rule}]`);
    for (const part of [LETTERS.slice(0, 14), HEX.slice(0, 16)]) expect(text).not.toContain(part);
    expect(scanJson(redacted, '').findings).toEqual([]);
  });

  it('meets every keyword with the first texts of a process too, before there are tables', async () => {
    for (const keyword of SECRET_RULES.flatMap(({ keywords }) => keywords)) {
      vi.resetModules();
      const fresh = await import('../../src/engine/secrets/scan.ts');
      const texts = ['', 'x', 'no', 'äöü', 'pas'].flatMap((before) => [
        `${before}${keyword}`,
        `${before}${keyword.toUpperCase()} x`,
      ]);
      expect(texts.length).toBeLessThan(PLAIN_SCANS);
      expect(texts.filter((text) => !fresh.mayHoldSecret(text))).toEqual([]);
      expect(fresh.mayHoldSecret('nothing to see here')).toBe(false);
    }
  });

  it('meets every keyword at every place of a text of any length, in large and small', () => {
    for (let scans = 0; scans <= PLAIN_SCANS; scans += 1) mayHoldSecret('short');
    for (const keyword of SECRET_RULES.flatMap(({ keywords }) => keywords)) {
      for (const before of ['', 'x', 'no', 'äöü', 'pas', 'x'.repeat(20_000)]) {
        for (const word of [keyword, keyword.toUpperCase()]) {
          expect(mayHoldSecret(`${before}${word}`), `${before.slice(0, 3)} ${word}`).toBe(true);
          expect(mayHoldSecret(`${before}${word} and more`)).toBe(true);
        }
      }
    }
    expect(mayHoldSecret('nothing to see here')).toBe(false);
    expect(mayHoldSecret('')).toBe(false);
  });

  it('finds one that is split by characters nobody sees', () => {
    const key = `ghp_${LETTERS.slice(0, 36)}`;
    const split = key.replaceAll(/./g, '$&\u200b');
    expect(mayHoldSecret(split)).toBe(true);
    expect(scanText(`a ${split} b`, 'x')).toEqual({
      findings: [{ rule: 'github-token', field: 'x' }],
      redacted: 'a [redacted:github-token] b',
    });
    const tagged = `${key.slice(0, 10)}${String.fromCodePoint(0xe0041)}${key.slice(10)}`;
    expect(scanText(tagged, 'x').findings).toHaveLength(1);
  });

  it('knows by the key of a value that it is a secret', () => {
    const { findings, redacted } = scanJson(
      { db: { password: LETTERS.slice(0, 20), user: 'app' }, api_key: 'none' },
      '',
    );
    expect(findings).toEqual([{ rule: 'assigned-secret', field: 'db.password' }]);
    expect(redacted).toEqual({ db: { password: '[redacted:assigned-secret]', user: 'app' }, api_key: 'none' });
  });

  it.each(HARMLESS)('leaves alone: %s', (text) => {
    expect(scanText(text, 'x').findings).toEqual([]);
  });
});

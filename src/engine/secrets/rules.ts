/**
 * Patterns of secrets: keys and tokens with known prefixes, private keys, and values after words like password. Precise
 * rather than complete, because frequent false warnings are ignored.
 *
 * Each pattern runs in linear time: bounded repetitions of one class after a fixed beginning, without nesting.
 */
export interface SecretRule {
  readonly id: string;
  readonly description: string;
  /** With the flag `g`. The whole match is replaced, or its group `value` if there is one. */
  readonly pattern: RegExp;
  /** The pattern is tried only if the text contains one of these, in lower case. */
  readonly keywords: readonly string[];
  /** Matches only values that look random, because the keyword also occurs before harmless values. */
  readonly isRandomOnly?: true;
}

// oxfmt-ignore
export const SECRET_RULES: readonly SecretRule[] = [
  { id: 'aws-access-key-id', description: 'AWS access key id', pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g, keywords: ['akia', 'asia', 'abia', 'acca'] },
  { id: 'aws-secret-access-key', description: 'AWS secret access key', pattern: /aws_?secret_?access_?key["']?\s{0,5}[:=]\s{0,5}["']?(?<value>[A-Za-z0-9/+]{40})/gi, keywords: ['aws_secret', 'awssecret'] },
  { id: 'github-token', description: 'GitHub token', pattern: /\bgh[pousr]_[A-Za-z0-9]{36,255}\b/g, keywords: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'] },
  { id: 'github-fine-grained-token', description: 'GitHub fine-grained token', pattern: /\bgithub_pat_[A-Za-z0-9_]{22,255}\b/g, keywords: ['github_pat_'] },
  { id: 'gitlab-token', description: 'GitLab token', pattern: /\bgl(?:pat|dt|rt|cbt|ptt|agent|soat)-[A-Za-z0-9_-]{20,64}/g, keywords: ['glpat-', 'gldt-', 'glrt-', 'glcbt-', 'glptt-', 'glagent-', 'glsoat-'] },
  { id: 'slack-token', description: 'Slack token', pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,200}/g, keywords: ['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-'] },
  { id: 'slack-app-token', description: 'Slack app token', pattern: /\bxapp-[0-9]-[A-Za-z0-9-]{10,200}/g, keywords: ['xapp-'] },
  { id: 'slack-webhook', description: 'Slack webhook', pattern: /hooks\.slack\.com\/services\/T[A-Z0-9]{6,12}\/B[A-Z0-9]{6,12}\/[A-Za-z0-9]{20,30}/g, keywords: ['hooks.slack.com'] },
  { id: 'stripe-secret-key', description: 'Stripe secret or restricted key', pattern: /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}\b/g, keywords: ['k_live_', 'k_test_'] },
  { id: 'stripe-webhook-secret', description: 'Stripe webhook secret', pattern: /\bwhsec_[A-Za-z0-9+/]{24,64}/g, keywords: ['whsec_'] },
  { id: 'google-api-key', description: 'Google API key', pattern: /\bAIza[0-9A-Za-z_-]{35}/g, keywords: ['aiza'] },
  { id: 'google-oauth-secret', description: 'Google OAuth client secret', pattern: /\bGOCSPX-[A-Za-z0-9_-]{28}/g, keywords: ['gocspx-'] },
  { id: 'google-oauth-token', description: 'Google OAuth access token', pattern: /\bya29\.[A-Za-z0-9_-]{20,1000}/g, keywords: ['ya29.'] },
  { id: 'openai-key', description: 'OpenAI key', pattern: /\bsk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,300}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})/g, keywords: ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 't3blbkfj'] },
  { id: 'anthropic-key', description: 'Anthropic key', pattern: /\bsk-ant-[a-z0-9]{1,12}-[A-Za-z0-9_-]{20,200}/g, keywords: ['sk-ant-'] },
  { id: 'openrouter-key', description: 'OpenRouter key', pattern: /\bsk-or-v1-[0-9a-f]{64}\b/g, keywords: ['sk-or-v1-'] },
  { id: 'groq-key', description: 'Groq key', pattern: /\bgsk_[A-Za-z0-9]{50,60}\b/g, keywords: ['gsk_'] },
  { id: 'xai-key', description: 'xAI key', pattern: /\bxai-[A-Za-z0-9]{70,90}\b/g, keywords: ['xai-'] },
  { id: 'huggingface-token', description: 'Hugging Face token', pattern: /\bhf_[A-Za-z]{34}\b/g, keywords: ['hf_'] },
  { id: 'npm-token', description: 'npm token', pattern: /\bnpm_[A-Za-z0-9]{36}\b/g, keywords: ['npm_'] },
  { id: 'pypi-token', description: 'PyPI token', pattern: /\bpypi-[A-Za-z0-9_-]{50,300}/g, keywords: ['pypi-'] },
  { id: 'docker-token', description: 'Docker Hub token', pattern: /\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{27,60}/g, keywords: ['dckr_'] },
  { id: 'sendgrid-key', description: 'SendGrid key', pattern: /\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}/g, keywords: ['sg.'] },
  { id: 'twilio-key', description: 'Twilio API key', pattern: /\bSK[0-9a-f]{32}\b/g, keywords: ['sk0', 'sk1', 'sk2', 'sk3', 'sk4', 'sk5', 'sk6', 'sk7', 'sk8', 'sk9', 'ska', 'skb', 'skc', 'skd', 'ske', 'skf'] },
  { id: 'mailgun-key', description: 'Mailgun key', pattern: /\bkey-[0-9a-f]{32}\b/g, keywords: ['key-'] },
  { id: 'mailchimp-key', description: 'Mailchimp key', pattern: /\b[0-9a-f]{32}-us[0-9]{1,2}\b/g, keywords: ['-us'] },
  { id: 'digitalocean-token', description: 'DigitalOcean token', pattern: /\bdo[opr]_v1_[0-9a-f]{64}\b/g, keywords: ['doo_v1_', 'dop_v1_', 'dor_v1_'] },
  { id: 'heroku-key', description: 'Heroku key', pattern: /\bHRKU-AA[A-Za-z0-9_-]{58}/g, keywords: ['hrku-'] },
  { id: 'shopify-token', description: 'Shopify token', pattern: /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b/g, keywords: ['shpat_', 'shpca_', 'shppa_', 'shpss_'] },
  { id: 'square-token', description: 'Square token', pattern: /\bsq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}/g, keywords: ['sq0'] },
  { id: 'databricks-token', description: 'Databricks token', pattern: /\bdapi[0-9a-f]{32}\b/g, keywords: ['dapi'] },
  { id: 'doppler-token', description: 'Doppler token', pattern: /\bdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,80}/g, keywords: ['dp.'] },
  { id: 'linear-key', description: 'Linear key', pattern: /\blin_(?:api|oauth)_[A-Za-z0-9]{40,64}\b/g, keywords: ['lin_api_', 'lin_oauth_'] },
  { id: 'notion-token', description: 'Notion token', pattern: /\b(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,50})\b/g, keywords: ['secret_', 'ntn_'] },
  { id: 'figma-token', description: 'Figma token', pattern: /\bfig[dou]_[A-Za-z0-9_-]{40,60}/g, keywords: ['figd_', 'figo_', 'figu_'] },
  { id: 'grafana-token', description: 'Grafana service account token', pattern: /\bglsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}\b/g, keywords: ['glsa_'] },
  { id: 'vault-token', description: 'HashiCorp Vault token', pattern: /\bhv[sbr]\.[A-Za-z0-9_-]{24,300}/g, keywords: ['hvs.', 'hvb.', 'hvr.'] },
  { id: 'terraform-token', description: 'Terraform Cloud token', pattern: /\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,70}/g, keywords: ['.atlasv1.'] },
  { id: 'telegram-bot-token', description: 'Telegram bot token', pattern: /\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}\b/g, keywords: [':aa'] },
  { id: 'discord-webhook', description: 'Discord webhook', pattern: /discord(?:app)?\.com\/api\/webhooks\/[0-9]{17,20}\/[A-Za-z0-9_-]{60,70}/g, keywords: ['/api/webhooks/'] },
  { id: 'azure-storage-key', description: 'Azure storage key', pattern: /AccountKey=(?<value>[A-Za-z0-9+/]{86}==)/g, keywords: ['accountkey='] },
  { id: 'baton-token', description: 'Baton token', pattern: /\bbaton_[A-Za-z0-9_-]{43}\b/g, keywords: ['baton_'] },
  { id: 'jwt', description: 'JSON Web Token', pattern: /\beyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}/g, keywords: ['eyj'] },
  { id: 'private-key', description: 'private key in PEM or PGP form', pattern: /-----BEGIN (?:[A-Z]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s:,.\\-]{0,20000}/g, keywords: ['private key'] },
  { id: 'url-password', description: 'password inside an address', pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'<>]{0,100}:(?<value>[^\s/@"'<>]{6,200})@/gi, keywords: ['://'], isRandomOnly: true },
  { id: 'assigned-secret', description: 'random value after a word like password or secret', pattern: /(?:password|passwd|pwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)["']?\s{0,5}[:=]\s{0,5}["']?(?<value>[^\s"'`,;<>(){}[\]]{8,200})/gi, keywords: ['passw', 'pwd', 'passphrase', 'secret', 'token', 'api_key', 'api-key', 'apikey', 'access_key', 'access-key', 'accesskey', 'private_key', 'private-key', 'privatekey', 'credential'], isRandomOnly: true },
];

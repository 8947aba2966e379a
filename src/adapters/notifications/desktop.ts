/**
 * A notification on the desktop of this machine. Where there is no display or no program for it, the notification is dropped:
 * a later one would be out of date.
 */
import { spawn } from 'node:child_process';
import { withoutHidden } from '../../foundation/display-text.ts';
import { codeOf } from '../../foundation/system-error-code.ts';
import type { SendResult, EffectSender } from '../../engine/effects.ts';

/** What an effect of kind `desktop` says. */
export interface DesktopPayload {
  readonly title: string;
  readonly text: string;
}

export interface DesktopOptions {
  readonly platform?: NodeJS.Platform;
  readonly env?: Readonly<NodeJS.ProcessEnv>;
}

const LIMIT_MS = 5_000;
const TITLE_MAX = 100;
const TEXT_MAX = 500;

const DISPLAYS = ['DISPLAY', 'WAYLAND_DISPLAY', 'DBUS_SESSION_BUS_ADDRESS'];

const APPLE_SCRIPT = [
  'on run argv',
  'display notification (item 2 of argv) with title (item 1 of argv)',
  'end run',
].flatMap((line) => ['-e', line]);

/** Reads title and text from the environment, where they cannot be code. */
const POWER_SHELL = `
$null = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$kind = [Windows.UI.Notifications.ToastTemplateType]::ToastText02
$toast = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent($kind)
$lines = $toast.GetElementsByTagName('text')
$null = $lines.Item(0).AppendChild($toast.CreateTextNode($env:BATON_TITLE))
$null = $lines.Item(1).AppendChild($toast.CreateTextNode($env:BATON_TEXT))
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier('Baton').Show($toast)
`;

interface Call {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export function desktopSender({ platform = process.platform, env = process.env }: DesktopOptions = {}): EffectSender {
  return {
    kind: 'desktop',
    limitMs: LIMIT_MS,
    async send(effect, signal) {
      const payload = readPayload(effect.payload);
      if (payload === null) return { never: 'its payload has no title and text' };
      const call = callFor(platform, env, payload);
      return typeof call === 'string' ? { never: call } : run(call, env, signal);
    },
  };
}

function readPayload(json: string): DesktopPayload | null {
  const payload = JSON.parse(json) as Partial<DesktopPayload> | null;
  if (typeof payload !== 'object' || payload === null) return null;
  const { title, text } = payload;
  if (typeof title !== 'string' || typeof text !== 'string') return null;
  return { title: plain(title, TITLE_MAX) || 'Baton', text: plain(text, TEXT_MAX) };
}

function plain(text: string, max: number): string {
  const cut = text.length > max ? `${text.slice(0, max)}…` : text;
  return withoutHidden(cut, ' ').replaceAll(/\s+/g, ' ').trim();
}

/** The call, or why there is none. */
function callFor(platform: NodeJS.Platform, env: NodeJS.ProcessEnv, { title, text }: DesktopPayload): Call | string {
  switch (platform) {
    case 'darwin':
      return { program: 'osascript', args: [...APPLE_SCRIPT, '--', title, text] };
    case 'win32':
      return {
        program: 'powershell.exe',
        args: ['-NoProfile', '-NonInteractive', '-Command', POWER_SHELL],
        env: { BATON_TITLE: title, BATON_TEXT: text },
      };
    default: {
      if (!DISPLAYS.some((name) => (env[name] ?? '') !== '')) return 'there is no display here';
      return { program: 'notify-send', args: ['--app-name=Baton', '--', title, escaped(text)] };
    }
  }
}

/** The text, unlike the title, is markup there. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function run({ program, args, env: more }: Call, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<SendResult> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env: { ...env, ...more }, stdio: 'ignore', signal, killSignal: 'SIGKILL' });
    child.once('error', (error) => {
      const says = signal.aborted ? 'did not end in time' : `could not be started (${codeOf(error) ?? error.message})`;
      resolve({ never: `${program} ${says}` });
    });
    child.once('exit', (code) => resolve(code === 0 ? 'done' : { never: `${program} failed with exit code ${code}` }));
  });
}

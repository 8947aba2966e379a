/** The pages that need no built dashboard: the login, and a hint to build it. */
const LOGIN = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Baton: signing in</title>
<link rel="icon" href="/baton.svg"><link rel="stylesheet" href="/own.css"><script src="/login.js" defer></script></head>
<body><main><h1>Baton</h1><p id="says" role="status">One moment…</p>
<noscript><p>The dashboard needs JavaScript.</p></noscript></main></body>
</html>
`;

/** A script sends the code, so that a link preview or a prefetch does not use it up. */
const LOGIN_SCRIPT = `const says = document.getElementById('says');
const code = new URLSearchParams(location.search).get('code') ?? '';
history.replaceState(null, '', '/login');
fetch('/api/session', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ code }),
}).then(async (answer) => {
  if (answer.ok) location.replace('/');
  else says.textContent = (await answer.json()).detail;
}).catch(() => { says.textContent = 'The server does not answer.'; });
`;

const STYLE = `:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 60rem; margin: 10vh auto; padding: 0 1.5rem; }
code { font-family: ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: 0.3rem 0.8rem 0.3rem 0; vertical-align: top; border-bottom: 1px solid #8884; }
`;

const UNBUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Baton</title><link rel="stylesheet" href="/own.css"></head>
<body><main><h1>Baton is here</h1><p>The dashboard was not built; make it with <code>npm run build</code>.
The interface for programs is described at <a href="/docs">/docs</a>.</p></main></body>
</html>
`;

export function builtInPage(path: string): Response | null {
  switch (path) {
    case '/login':
      return page(LOGIN, 'text/html; charset=utf-8');
    case '/login.js':
      return page(LOGIN_SCRIPT, 'text/javascript; charset=utf-8');
    case '/own.css':
      return page(STYLE, 'text/css; charset=utf-8');
    case '/favicon.ico':
      // Browsers ask for it beside pages without an icon. A missing icon is no error.
      return new Response(null, { status: 204, headers: { 'cache-control': 'max-age=86400' } });
    default:
      return null;
  }
}

export function unbuiltPage(): Response {
  return page(UNBUILT, 'text/html; charset=utf-8');
}

export function page(text: string, type: string): Response {
  return new Response(text, { headers: { 'content-type': type, 'cache-control': 'no-store' } });
}

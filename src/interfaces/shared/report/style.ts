/** The style of the page. Light and dark differ only in the values of the variables. */
export const STYLE = `
:root{--paper:#fff;--ink:#1d2430;--soft:#5d6675;--line:#d9dee6;--done:#2e8b57;--bad:#c0392b;--open:#b8860b;--gone:#8a93a1;--next:#2f6fb3}
@media(prefers-color-scheme:dark){:root{--paper:#14181f;--ink:#e6eaf0;--soft:#9aa4b2;--line:#2b323d;--done:#57b884;--bad:#e4705f;--open:#d9ab3a;--gone:#6d7683;--next:#6ea8e6}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1100px;padding:1.5rem;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
header{display:flex;gap:1rem;align-items:baseline}
h1,h2,h3{line-height:1.2;margin:1.4em 0 .5em}h1{margin:0}
.outcome{font-size:1rem;font-weight:600;color:var(--soft)}.outcome.complete{color:var(--done)}.outcome.failed{color:var(--bad)}.outcome.unfinished{color:var(--open)}
.tiles{display:flex;flex-wrap:wrap;gap:.5rem;margin:0}
.tiles div{border:1px solid var(--line);border-radius:6px;padding:.4rem .8rem;min-width:6.5rem}
dt{color:var(--soft);font-size:.8rem}dd{margin:0;font-size:1.2rem;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
th{color:var(--soft);font-weight:600;white-space:nowrap}
svg.chart{max-width:100%;height:auto}svg text{fill:var(--ink);font-size:13px}
.rail{fill:var(--line)}.done{fill:var(--done)}.bad{fill:var(--bad)}.open{fill:var(--open)}
.spark polyline{fill:none;stroke:var(--next);stroke-width:1.5}
.s-complete{fill:var(--done);--dot:var(--done)}.s-failed{fill:var(--bad);--dot:var(--bad)}.s-blocked{fill:var(--open);--dot:var(--open)}
.s-in_progress{fill:var(--next);--dot:var(--next)}.s-pending{fill:var(--gone);--dot:var(--gone)}.s-retry{fill:var(--soft);--dot:var(--soft)}
.legend{display:flex;flex-wrap:wrap;gap:1rem;list-style:none;padding:0;margin:.4rem 0}
.legend li::before{content:"";display:inline-block;width:.7em;height:.7em;margin-right:.4em;border-radius:2px;background:var(--dot)}
.warning{color:var(--bad)}summary{cursor:pointer;padding:.3rem 0}
`;

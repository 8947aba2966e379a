/**
 * The journey of a React component: @frontend-specialist asks for it, @react-specialist generates and type-checks it, Baton
 * registers the artifact, and @reporter, which has been waiting for the artifact, retrieves it and reports.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { openBaton } from 'batonpass';

const folder = mkdtempSync(join(tmpdir(), 'baton-example-'));
writeFileSync(
  join(folder, 'baton.yaml'),
  `folders: { queue: on }
agents:
  frontend-specialist: { phase: 11, agent_type: orchestrator }
  react-specialist: { phase: 13, agent_type: specialist }
  reporter: { phase: 16, agent_type: reporter }
`,
);

// What the whole project shares. Who names this file in a context hands over what stands in it.
mkdirSync(join(folder, 'context'));
writeFileSync(join(folder, 'context/tech-stack.json'), '{ "framework": "React", "version": "18.2" }');
const baton = await openBaton({ workspace: folder });

/** Generates: one component for each requirement, as a file of the workspace. */
function generate({ name, props }) {
  const fields = Object.entries(props).map(
    ([prop, { type, required }]) => `  ${prop}${required ? '' : '?'}: ${type === 'callback' ? '() => void' : type};`,
  );
  const path = `src/${name}.tsx`;
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(
    join(folder, path),
    `interface Props {\n${fields.join('\n')}\n}\n\n` +
      `export function ${name}({ userId }: Props) {\n  return <section>{userId}</section>;\n}\n`,
  );
  return path;
}

/** Type-checks, without React itself: that there is a `section` is all it has to know. */
function typeErrors(paths) {
  const elements = join(folder, 'src/elements.d.ts');
  writeFileSync(
    elements,
    'declare namespace JSX { interface IntrinsicElements { section: { children?: unknown } } }\n',
  );
  const files = [elements, ...paths.map((path) => join(folder, path))];
  const basics = { lib: ['lib.es5.d.ts'], types: [], skipLibCheck: true };
  const program = ts.createProgram(files, { ...basics, jsx: ts.JsxEmit.Preserve, strict: true, noEmit: true });
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

try {
  const generated = [];
  const react = baton.work('@react-specialist', ({ input, context }) => {
    assert.equal(context.tech_stack.framework, 'React');
    const files = input.component_requirements.map(generate);
    generated.push(...files);
    const errors = typeErrors(files);
    return {
      artifact: { type: 'react-components', content: { files } },
      validation: { status: errors.length === 0 ? 'passed' : 'failed', typescript_errors: errors.length, errors },
      metadata: { components_generated: files.length },
    };
  });

  // Retrieves what the handoff names, and consumes it.
  const reporter = baton.work('@reporter', async ({ context }) => {
    const { content, status, sha256 } = await baton.artifact(context.component_artifact_id);
    const lines = content.files.map((path) => readFileSync(join(folder, path), 'utf8').split('\n').length - 1);
    return { report: `${content.files.join(', ')}: ${lines} lines, ${status}`, sha256 };
  });

  // Creates.
  const asked = await baton.send({
    from: '@frontend-specialist',
    to: '@react-specialist',
    context: { project_id: 'proj-001', tech_stack: 'context/tech-stack.json' },
    input: {
      component_requirements: [
        {
          name: 'UserProfile',
          type: 'functional',
          props: { userId: { type: 'string', required: true }, onUpdate: { type: 'callback', required: false } },
        },
      ],
    },
  });
  const artifactId = `artifact-${asked.id}`;

  // Sent at the same time: as long as the artifact is not in the registry, nobody is offered this.
  const report = await baton.send({
    from: '@frontend-specialist',
    to: '@reporter',
    context: { component_artifact_id: artifactId },
    input: {},
  });

  // Done when both are: the second could only begin when the first had left its artifact in the registry.
  const { result } = await baton.wait(report.id, { timeoutMs: 60_000 });
  await Promise.all([react.stop(), reporter.stop()]);
  assert.deepEqual(generated, ['src/UserProfile.tsx']);
  console.log(result.report);

  const [registered] = await baton.findArtifacts({ type: 'react-components', phase: 13, agent: '@react-specialist' });
  assert.equal(registered.artifact_id, artifactId);
  assert.equal(registered.status, 'active');
  assert.equal(registered.path, `artifacts/phase-13-react/${artifactId}.json`);
  assert.equal(registered.sha256, result.sha256);
  assert.deepEqual(
    registered.files.map(({ path }) => path),
    generated,
  );

  // What the report was made of is on record.
  const { dependents } = await baton.artifact(artifactId);
  assert.deepEqual(dependents, [`artifact-${report.id}`]);
} finally {
  await baton.close();
  rmSync(folder, { recursive: true });
}

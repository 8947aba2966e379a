/** The `baton.yaml` of a new workspace: a plain one, or one for a way of working. */
export const TEMPLATES = ['queue', 'documents', 'relay'] as const;
export type Template = (typeof TEMPLATES)[number];

export function sampleConfiguration(project: string, template: Template | null, database: string | null): string {
  const first = `# A Baton workspace. Everything here is optional. The first command stores what is shared (limits, roles, verifiers, …)
# in the database; after later changes run: baton apply
project: ${JSON.stringify(project)}
`;
  const where = database === null ? '' : `\ndatabase: ${JSON.stringify(database)}\n`;
  return `${first}${where}${template === null ? PLAIN : SETTINGS[template]}`;
}

const PLAIN = `
# Agents, and how many handoffs each may have open. A limit given for an agent counts everything; the one for everybody
# else counts documents only.
# agents:
#   planner: { limits: { outgoing: 10, incoming: 5 } }
#   reviewer: { roles: [verifier] }
# limits: { outgoing: 5, incoming: 10 }

# Who verifies that documents are done: never the sender, never the doer.
# verifiers: [reviewer]

# Programs that only know files take part through handoffs/pending and its neighbours.
# Documents are markdown in _handoffs/, for agents and people who work through a repository.
# folders: { queue: on, documents: on }

# A worker that has been silent for this long has lost what it holds.
# lease_seconds: 10
`;

const SETTINGS: Readonly<Record<Template, string>> = {
  queue: `
# Programs that only know files take part through handoffs/pending and its neighbours; see docs/protocols/queue.md.
folders: { queue: on }

# The input and the answer of an agent can follow schemas in schemas/.
# agents:
#   react-specialist: { schemas: { input: react-specialist.input, output: react-specialist.output }, phase: 13 }
`,
  documents: `
# Markdown documents in _handoffs/, and tasks in tasks/; see docs/protocols/documents.md. baton init --git-hook guards commits.
folders: { documents: on }
# tasks: { keep: on }

# The agents and limits of the documents' specification. Replace them by your own.
agents:
  grok: { roles: [chief], limits: { outgoing: 10, incoming: 5 } }
  claude: { limits: { outgoing: 5, incoming: 10 } }
  abacus: { limits: { outgoing: 5, incoming: 10 } }
  perplexity: { roles: [verifier], limits: { outgoing: 3, incoming: 15 } }
  gemini: { limits: { outgoing: 5, incoming: 10 } }
limits: { outgoing: 5, incoming: 10 }

# Who verifies that documents are done: never the sender, never the doer.
verifiers: [perplexity]
`,
  relay: `
# planner hands work to builder; reviewer verifies it. Start each with: baton work @builder -- COMMAND
agents:
  planner: { roles: [chief] }
  builder: {}
  reviewer: { roles: [verifier] }
verifiers: [reviewer]
`,
};

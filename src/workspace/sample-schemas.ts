/** The two schemas in the examples of the queue's specification; `baton init --template queue` writes them. */
const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

const text = { type: 'string', minLength: 1 } as const;
const texts = { type: 'array', items: { type: 'string' } } as const;

const component = {
  type: 'object',
  required: ['name'],
  properties: {
    name: text,
    type: { type: 'string' },
    responsibility: { type: 'string' },
    props: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['type'],
        properties: { type: text, required: { type: 'boolean' } },
      },
    },
    state_needs: texts,
    api_integration: {
      type: 'array',
      items: { type: 'object', required: ['endpoint'], properties: { endpoint: text, method: { type: 'string' } } },
    },
  },
} as const;

export const SAMPLE_SCHEMAS: Readonly<Record<string, object>> = {
  'react-specialist.input.schema.json': {
    $schema: DRAFT,
    title: 'What @react-specialist needs',
    type: 'object',
    required: ['component_requirements'],
    properties: {
      component_requirements: { type: 'array', minItems: 1, items: component },
      dependency_context: { type: 'object', additionalProperties: { type: 'string' } },
      code_quality: {
        type: 'object',
        properties: {
          typescript_enabled: { type: 'boolean' },
          testing_coverage_target: { type: 'number', minimum: 0, maximum: 100 },
          accessibility_level: { type: 'string' },
        },
      },
    },
  },
  'react-specialist.output.schema.json': {
    $schema: DRAFT,
    title: 'What @react-specialist answers',
    type: 'object',
    minProperties: 1,
    properties: {
      components: {
        type: 'array',
        items: { type: 'object', required: ['name'], properties: { name: text, code: { type: 'string' } } },
      },
      files: { type: 'array', items: { anyOf: [text, { type: 'object', required: ['path'] }] } },
    },
  },
};

/** What compose.yaml may have: what it uses of the Compose Specification, and nothing that isn't in that. */

const text = { type: 'string', minLength: 1 };
const texts = { type: 'array', items: text, minItems: 1, uniqueItems: true };
const duration = { type: 'string', pattern: '^\\d+(?:ms|s|m|h)$' };
const names = (value: object) => ({
  type: 'object',
  patternProperties: { '^[a-zA-Z0-9._-]+$': value },
  additionalProperties: false,
});
const exactly = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const healthCheck = exactly(
  {
    // A list begins with how it is run.
    test: { type: 'array', items: [{ const: 'CMD' }], additionalItems: text, minItems: 2 },
    interval: duration,
    timeout: duration,
    retries: { type: 'integer', minimum: 1 },
    start_period: duration,
  },
  ['test'],
);
const dependency = exactly(
  { condition: { enum: ['service_started', 'service_healthy'] }, required: { type: 'boolean' } },
  ['condition'],
);
const service = {
  ...exactly({
    build: text,
    cap_drop: texts,
    depends_on: names(dependency),
    env_file: text,
    // A number would be one of YAML's, such as 0123.
    environment: names(text),
    healthcheck: healthCheck,
    image: text,
    // Docker takes texts alone here, also for numbers.
    logging: exactly({ driver: text, options: names(text) }, ['driver']),
    ports: { ...texts, items: { type: 'string', pattern: '^\\S+:\\d+:\\d+$' } },
    profiles: texts,
    pull_policy: { enum: ['build'] },
    read_only: { type: 'boolean' },
    restart: { enum: ['no', 'always', 'on-failure', 'unless-stopped'] },
    security_opt: texts,
    shm_size: { type: 'string', pattern: '^\\d+[kmg]b?$' },
    stop_grace_period: duration,
    tmpfs: texts,
    user: text,
    volumes: { ...texts, items: { type: 'string', pattern: '^[^:]+:/[^:]*(?::ro)?$' } },
  }),
  oneOf: [{ required: ['build'] }, { required: ['image'] }],
};

export const composeSchema = {
  ...exactly({ services: names(service), volumes: names({ type: 'null' }) }, ['services']),
  patternProperties: { '^x-': {} },
};

/** A service, as the schema has it. */
export interface Service {
  readonly build?: string;
  readonly image?: string;
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly read_only?: boolean;
  readonly restart?: string;
  readonly env_file?: string;
  readonly logging?: { readonly driver: string; readonly options?: Readonly<Record<string, string>> };
  readonly stop_grace_period?: string;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string; readonly required?: boolean }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
}

export interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
}

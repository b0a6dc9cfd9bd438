import { existsSync, readFileSync } from 'node:fs';
import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Fields, isFields } from './fields.ts';

const description = new URL('../../../../../shared/oracles/discord-openapi.json', import.meta.url);

/** Checks bodies against Discord's own OpenAPI description, if there is a copy next to the project. */
export class OpenApi {
  readonly #document: Fields;
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction | undefined>();

  private constructor(document: Fields) {
    this.#document = document;
    this.#ajv = new Ajv2020({ strict: false, allErrors: false, logger: false, validateFormats: true });
    addFormats.default(this.#ajv);
    for (const name of ['int32', 'int64', 'double', 'snowflake', 'nonce']) this.#ajv.addFormat(name, true);
    this.#ajv.addSchema(document, 'discord');
  }

  /** The description; undefined if there is no copy. */
  static load(): OpenApi | undefined {
    if (!existsSync(description)) return undefined;
    return new OpenApi(amended(JSON.parse(readFileSync(description, 'utf8')) as Fields));
  }

  /** What is wrong with a request's body, if anything. `open`: fields that aren't described, and may be accepted. */
  requestFault(
    method: string,
    template: string,
    body: unknown,
    open: readonly string[] = [],
  ): string | undefined {
    const pointer = [
      'paths',
      template,
      method.toLowerCase(),
      'requestBody',
      'content',
      'application/json',
      'schema',
    ];
    const schema = this.#at(pointer);
    if (schema === undefined) return body === undefined ? undefined : 'the operation takes no body';
    return this.#fault(pointer, body) ?? this.#unknownField(schema, body, open);
  }

  /** What is wrong with a response's body, if anything. */
  responseFault(method: string, template: string, status: number, body: unknown): string | undefined {
    const responses = ['paths', template, method.toLowerCase(), 'responses'];
    const declared = this.#at(responses);
    if (!isFields(declared)) return 'the operation is not described';
    if (status >= 500) return undefined;
    const key = String(status) in declared ? String(status) : '4XX';
    if (!(key in declared)) return `status ${status} is not described`;
    const pointer = this.#followed([...responses, key]);
    const schemaPointer = [...pointer, 'content', 'application/json', 'schema'];
    if (this.#at(schemaPointer) === undefined)
      return body === undefined ? undefined : `status ${status} has no body`;
    return this.#fault(schemaPointer, body);
  }

  #fault(pointer: readonly string[], body: unknown): string | undefined {
    const validate = this.#validator(pointer);
    if (!validate || validate(body)) return undefined;
    const [error] = validate.errors ?? [];
    return `${error?.instancePath} ${error?.message ?? 'is wrong'} (${error?.schemaPath})`;
  }

  #validator(pointer: readonly string[]): ValidateFunction | undefined {
    const reference = `discord#/${pointer.map(escaped).join('/')}`;
    if (!this.#validators.has(reference))
      this.#validators.set(reference, this.#ajv.compile({ $ref: reference }));
    return this.#validators.get(reference);
  }

  /** A top-level name that no variant of the body knows. */
  #unknownField(schema: unknown, body: unknown, open: readonly string[]): string | undefined {
    if (!isFields(body)) return undefined;
    const known = this.#names(schema).union(new Set(open));
    const unknown = Object.keys(body).find((name) => !known.has(name));
    return unknown === undefined ? undefined : `field ${unknown} is not described`;
  }

  #names(schema: unknown): Set<string> {
    const names = new Set<string>();
    if (!isFields(schema)) return names;
    if (typeof schema.$ref === 'string') return this.#names(this.#at(schema.$ref.slice(2).split('/')));
    if (isFields(schema.properties)) for (const name of Object.keys(schema.properties)) names.add(name);
    for (const variants of [schema.anyOf, schema.oneOf, schema.allOf])
      if (Array.isArray(variants))
        for (const variant of variants) for (const name of this.#names(variant)) names.add(name);
    return names;
  }

  #followed(pointer: readonly string[]): readonly string[] {
    const node = this.#at(pointer);
    return isFields(node) && typeof node.$ref === 'string' ? node.$ref.slice(2).split('/') : pointer;
  }

  #at(pointer: readonly string[]): unknown {
    let node: unknown = this.#document;
    for (const step of pointer) node = isFields(node) ? node[step] : undefined;
    return node;
  }
}

/**
 * Corrects three errors of the description, which contradict Discord's documentation, libraries and responses: the codes
 * of form errors are words, permissions are strings of digits, and a forward is a reference of type 1.
 */
function amended(document: Fields): Fields {
  const schemas = (
    document.components as { schemas: Record<string, { properties: Record<string, unknown> }> }
  ).schemas;
  const code = { type: ['integer', 'string'] };
  const error = {
    type: 'object',
    properties: { code, message: { type: 'string' } },
    required: ['code', 'message'],
  };
  Object.assign(schemas.MessageReferenceType ?? {}, { oneOf: [{ const: 0 }, { const: 1 }] });
  if (schemas.InnerErrors) schemas.InnerErrors.properties._errors = { type: 'array', items: error };
  for (const name of ['ApplicationCommandCreateRequest', 'ApplicationCommandUpdateRequest']) {
    const command = schemas[name];
    if (command)
      command.properties.default_member_permissions = { type: ['string', 'null'], pattern: '^[0-9]+$' };
  }
  return document;
}

function escaped(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}

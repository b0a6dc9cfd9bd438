/** A string somewhere in a JSON value, with the names that lead to it. */
export interface FoundString {
  readonly path: string;
  readonly value: string;
}

/** Every string of a JSON value, outermost objects first. */
export function strings(json: unknown, path = ''): FoundString[] {
  if (typeof json === 'string') return [{ path, value: json }];
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([name, value]) => strings(value, path ? `${path}.${name}` : name));
}

/** A finished image or video: an address or base64. */
export function findResult(json: unknown): FoundString | undefined {
  return strings(json).find(({ path, value }) => {
    if (/b64|base64/i.test(path) || value.startsWith('data:')) return value.length > 100;
    return /^https?:\/\//.test(value);
  });
}

/** The word a task's state is given with. */
export function findState(json: unknown): string | undefined {
  return strings(json).find(({ path }) => /(?:^|\.)(?:\w*status|\w*state)$/i.test(path))?.value;
}

/** The id of a task. */
export function findId(json: unknown): FoundString | undefined {
  return strings(json).find(({ path }) => /(?:^|\.)(?:task_?)?id$/i.test(path));
}

/** What a JSON value looks like, without what it says. */
export function shapeOf(json: unknown): string {
  if (Array.isArray(json)) return json.length > 0 ? `[${shapeOf(json[0])}]` : '[]';
  if (typeof json !== 'object' || json === null) return json === null ? 'null' : typeof json;
  const names = Object.entries(json).map(([name, value]) => `${name}: ${shapeOf(value)}`);
  return `{${names.join(', ')}}`.slice(0, 300);
}

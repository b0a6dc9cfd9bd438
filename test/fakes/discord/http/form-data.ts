import type { IncomingHttpHeaders } from 'node:http';
import { isFields } from './fields.ts';
import { invalidField, Refusal, refusals } from './refusal.ts';

/** A file of a multipart request, under the number in `files[n]`. */
export interface UploadedFile {
  readonly key: string;
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface DecodedBody {
  /** Undefined if the request had no body. */
  readonly json: unknown;
  readonly files: readonly UploadedFile[];
}

/** Bytes of the largest request that Discord accepts (resources/message, limitations). */
export const maxRequestBytes = 25 * 1024 * 1024;

/** Decodes a JSON or multipart body (reference, uploading files). */
export async function decodeBody(headers: IncomingHttpHeaders, bytes: Buffer): Promise<DecodedBody> {
  if (bytes.length > maxRequestBytes) throw refusals.tooLarge();
  if (bytes.length === 0) return { json: undefined, files: [] };
  const type = headers['content-type'] ?? '';
  if (type.startsWith('application/json')) return { json: parseJson(bytes.toString('utf8')), files: [] };
  if (type.startsWith('multipart/form-data')) return decodeMultipart(type, bytes);
  throw invalidField(
    'content-type',
    'CONTENT_TYPE_INVALID',
    'Expected "Content-Type" header to be one of application/json, multipart/form-data.',
  );
}

async function decodeMultipart(type: string, bytes: Buffer): Promise<DecodedBody> {
  let json: unknown = {};
  const files: UploadedFile[] = [];
  for (const [name, value] of await readForm(type, bytes)) {
    if (typeof value === 'string') {
      if (name !== 'payload_json')
        throw invalidField(name, 'UNKNOWN_FIELD', 'Only payload_json and files[n] are taken.');
      json = parseJson(value);
      continue;
    }
    const key = /^files\[(\d{1,20})\]$/.exec(name)?.[1];
    if (key === undefined) throw invalidField(name, 'INVALID_FILE_KEY', 'Files are named files[n].');
    if (files.some((file) => file.key === key))
      throw invalidField(name, 'DUPLICATE_FILE', 'Each file has a number of its own.');
    files.push({
      key,
      name: value.name,
      contentType: value.type,
      bytes: new Uint8Array(await value.arrayBuffer()),
    });
  }
  if (files.length > 10)
    throw invalidField('files', 'BASE_TYPE_MAX_LENGTH', 'Must be 10 or fewer in length.');
  checkAttachmentNumbers(json, files);
  return { json, files };
}

async function readForm(type: string, bytes: Buffer) {
  try {
    return await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
  } catch {
    throw new Refusal(400, 50035, 'Invalid multipart body');
  }
}

/** Every number in `attachments` without a stored file must be the number of an uploaded one. */
function checkAttachmentNumbers(json: unknown, files: readonly UploadedFile[]): void {
  const body = isFields(json) && isFields(json.data) ? json.data : json;
  if (!isFields(body) || !Array.isArray(body.attachments)) return;
  const listed = body.attachments.filter(isFields).map((attachment) => String(attachment.id));
  for (const file of files)
    if (!listed.includes(file.key))
      throw invalidField(
        'attachments',
        'MISSING_ATTACHMENT',
        `files[${file.key}] is not listed in attachments.`,
      );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 50109, 'The request body contains invalid JSON.');
  }
}

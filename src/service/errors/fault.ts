import { scrub } from '../scrub.ts';

/**
 * The violated rule: a value is missing, of the wrong type, not one of the choices, out of range, not a whole number,
 * too long, one of too many, in the wrong format, not https, not public, or an unknown field. `edit-needs-video`:
 * `operation` is `edit` without a reference video.
 */
export type FaultCode =
  | 'required'
  | 'type'
  | 'choice'
  | 'range'
  | 'integer'
  | 'too-long'
  | 'too-many'
  | 'form'
  | 'https'
  | 'public'
  | 'edit-needs-video'
  | 'unknown-field';

/** One violation of the description, as data; texts for people are made elsewhere. */
export interface Fault {
  /** Path of the field: `speed`, `messages[2].content`. */
  field: string;
  code: FaultCode;
  /** The lowest allowed value. */
  min?: number;
  /** The highest allowed value, length or count. */
  limit?: number;
  /** The unit of `limit`. */
  unit?: 'bytes' | 'characters' | 'items';
  /** The choices, or a description of the format. */
  allowed?: readonly string[];
  /** The value, or its length or count. Never the text of a prompt, a message, a key or a URL. */
  given?: string | number;
}

/** The fault in one English line, for logs and developers. */
export function describeFault(fault: Fault): string {
  const given = fault.given === undefined ? '' : `, given ${fault.given}`;
  return `${fault.field} ${rule(fault)}${given}`;
}

function rule(fault: Fault): string {
  switch (fault.code) {
    case 'required':
      return 'is required';
    case 'range':
      return `must be ${fault.min} to ${fault.limit}`;
    case 'integer':
      return 'must be a whole number';
    case 'too-long':
    case 'too-many':
      return `must have at most ${fault.limit} ${fault.unit}`;
    case 'https':
      return 'must be an https address';
    case 'public':
      return 'must be a public address';
    case 'edit-needs-video':
      return 'edit needs at least one of reference_video_urls';
    case 'unknown-field':
      return 'is not a field of this request';
    default:
      return `must be ${fault.allowed?.join(', ')}`;
  }
}

/** A value as a fault may show it: short, and only for fields without content. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return scrub(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeName(value);
}

/** `null` and arrays by name, everything else by `typeof`. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import type { Compose } from './compose-schema.ts';

const text = readFileSync(join(resolve(import.meta.dirname, '../..'), 'compose.yaml'), 'utf8');

/** compose.yaml, with its variables as they were written. */
export const compose = parse(text, { merge: true, strict: true, uniqueKeys: true }) as Compose;

/** The variables of compose.yaml, with their defaults. */
export const variables = new Map(
  [...text.replaceAll(/#.*/g, '').matchAll(/\$\{(\w+)(?::-([^}]*))?\}/g)].map(([, name = '', value]) => [
    name,
    value,
  ]),
);

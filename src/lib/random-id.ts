import { randomBytes } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** 22 random characters of `[A-Za-z0-9_-]`, 132 bits: conversation ids and job ids. */
export function randomId(): string {
  let id = '';
  for (const byte of randomBytes(22)) id += alphabet[byte % 64];
  return id;
}

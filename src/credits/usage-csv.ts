import type { Selectable } from 'kysely';
import type { Database, LedgerTable } from '../store/index.ts';
import { type Quantity, quantityNames } from './ledger.ts';
import { callsOf, type UsageScope } from './usage.ts';

/** The columns of the table, in order. */
const columns: readonly (readonly [name: string, value: (call: Call) => string | number | null])[] = [
  ['time', ({ row }) => new Date(Number(row.created_at)).toISOString()],
  ['platform', ({ row }) => row.platform],
  ['workspace', ({ row }) => row.workspace],
  ['channel', ({ row }) => row.channel],
  ['thread', ({ row }) => row.thread],
  ['person_id', ({ row }) => row.person],
  ['person', ({ row }) => row.person_name],
  ['conversation_id', ({ row }) => row.conversation_id],
  ['kind', ({ row }) => row.kind],
  ['model', ({ row }) => row.model],
  ...quantityNames.map((name) => [snake(name), ({ quantity }: Call) => quantity[name] ?? null] as const),
  ['state', ({ row }) => row.state],
  ['estimated', ({ row }) => row.estimated],
  ['credits_low', ({ row }) => Number(row.low) / 1e6],
  ['credits_high', ({ row }) => Number(row.high) / 1e6],
  ['request_id', ({ row }) => row.request_id],
];

interface Call {
  readonly row: Selectable<LedgerTable>;
  readonly quantity: Quantity;
}

/** Every call of a scope as comma-separated values (RFC 4180), in UTF-8 with a mark that spreadsheets look for. */
export async function usageCsv(
  database: Database,
  scope: UsageScope,
): Promise<{ readonly bytes: Uint8Array; readonly rows: number }> {
  const pages = [Buffer.from(`\uFEFF${columns.map(([name]) => name).join(',')}\r\n`)];
  let rows = 0;
  for await (const page of callsOf(database, scope)) {
    rows += page.length;
    pages.push(Buffer.from(page.map(line).join('')));
  }
  return { bytes: Buffer.concat(pages), rows };
}

function line(row: Selectable<LedgerTable>): string {
  const call = { row, quantity: JSON.parse(row.quantity) as Quantity };
  return `${columns.map(([, value]) => cell(value(call))).join(',')}\r\n`;
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  // A spreadsheet would calculate what begins like a formula; people choose their names themselves.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

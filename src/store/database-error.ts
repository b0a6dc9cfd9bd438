import { shownUrl } from '../lib/database-url.ts';

/** The database could not be opened; the message tells the operator why and what to do. */
export class DatabaseError extends Error {
  override name = 'DatabaseError';
}

/** Why a database can't be used, and what to do about it. */
const reasons = {
  newer:
    'it was written by a newer version of troupe; run that version, or put a backup made before it in its place: npm run restore -- BACKUP',
  older:
    'it was written by a version of troupe before the first release; run the last one of those once, then this one',
  foreign: 'this isn’t a troupe database',
  locked: 'another process is using it; stop that process first',
  damaged: 'the file is damaged; put a backup in its place: npm run restore -- BACKUP',
  full: 'the disk is full',
  closed: 'the file cannot be opened; check that its folder can be written to',
  closedFolder: 'the bot can’t write into this folder; give it, with all that’s in it, to the bot’s user',
  password: 'the server refuses the user or the password in DATABASE_URL',
  notLetIn:
    'the server doesn’t let this user in from here; check the user and its pg_hba.conf, and add ?sslmode=require to DATABASE_URL if it takes encrypted connections only',
  pooled:
    'a pooler gives this address’ connections to other clients in between, which loses signals and time limits; use the address of the server itself, or a pooler in session mode',
  missing: 'there is no such database; create it: createdb --encoding=UTF8 NAME',
  noSchema: 'no schema of its search_path is there; create one, or change that',
  forbidden: 'the user may not create tables in it; make the user its owner',
  readOnly: 'it can’t be written to; DATABASE_URL must be the address of the primary server',
  crowded: 'the server has no connection left; raise its max_connections, or run fewer processes',
  away: 'the server doesn’t answer; check the address, and that the server runs',
  oldServer: 'the server is older than PostgreSQL 13; upgrade it',
  encoding: 'its encoding isn’t UTF8; create one with it: createdb --encoding=UTF8 --template=template0 NAME',
  certificate:
    'the server’s certificate can’t be checked; name its authority with sslrootcert=FILE in DATABASE_URL',
  certificateFile: 'a file named in DATABASE_URL (sslrootcert, sslcert or sslkey) can’t be read',
  unencrypted: 'the server doesn’t encrypt connections; leave sslmode out of DATABASE_URL',
} as const;

/** The error for a database at `url` that can't be used for a known reason. */
export function unusable(url: string, reason: keyof typeof reasons, cause?: unknown): DatabaseError {
  return new DatabaseError(`${shownUrl(url)}: ${reasons[reason]}`, { cause });
}

/** Errors that a person can do something about, by SQLite's and the libraries' messages. */
const sayings: readonly (readonly [RegExp, keyof typeof reasons])[] = [
  [/database is locked/, 'locked'],
  [/malformed|not a database/, 'damaged'],
  [/database or disk is full/, 'full'],
  [/unable to open|readonly/, 'closed'],
];

/** The same by PostgreSQL's codes, the system's, and the messages of its library. */
const states: readonly (readonly [RegExp, keyof typeof reasons])[] = [
  [/^28P01|password must be a string/, 'password'],
  [/^28/, 'notLetIn'],
  [/^3D000/, 'missing'],
  [/^42501/, 'forbidden'],
  [/^25006/, 'readOnly'],
  [/^53300/, 'crowded'],
  [/^53100/, 'full'],
  [/^(?:SELF_SIGNED|UNABLE_TO|CERT_|DEPTH_ZERO|ERR_TLS)/, 'certificate'],
  [/does not support SSL/, 'unencrypted'],
  // 08P01 is a pooler's for all kinds of things, with its reason in words.
  [/^(?:08(?!P01)|57P|E[A-Z_]+$)|timeout|terminated/, 'away'],
];

/** Whether an error comes from the database itself. */
export function isDatabaseError(error: unknown): boolean {
  if (error instanceof PostgresError) return true;
  return (error as { readonly code?: unknown } | undefined)?.code === 'ERR_SQLITE_ERROR';
}

/** Explains an error of the database at `url` to the operator. */
export function explainDatabaseError(error: unknown, url: string): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  const reason =
    error instanceof PostgresError ? reasonOf(error) : sayings.find(([saying]) => saying.test(detail))?.[1];
  if (reason !== undefined) return unusable(url, reason, error);
  return new DatabaseError(`${shownUrl(url)}: ${detail}`, { cause: error });
}

/** A socket that isn't there has the same code as a file, and no `open`. */
const unreadableFile = /^E[A-Z]+: .{1,100}, open /;

function reasonOf({ state, message }: PostgresError): keyof typeof reasons | undefined {
  if (unreadableFile.test(message)) return 'certificateFile';
  return states.find(([pattern]) => pattern.test(state ?? message))?.[1];
}

/**
 * PostgreSQL's codes (SQLSTATE), or classes of them, that say nothing against the statement: the server is away, starts,
 * stops, has too little of something, or is closed to us. The same statement can work later.
 */
const passing = /^(?:08|25006|25P0[34]|28|3D000|40|42501|53|55|57|58|XX)/;
/** The transaction collided with another and was rolled back. */
const collision = /^40(?:001|P01)$/;
/**
 * Codes after which a connection is of no use: it has ended, or leads to a server that has become read-only, while
 * another may have taken its place.
 */
const ending = /^(?:08|25006|25P0[34]|28|57P)/;

/** Of these one statement fails and the next works: a table can't grow on a full disk, memory is short, a page is damaged. */
const partial = /^(?:53[12]|58|XX)/;
/** The same by SQLite's codes: a disk that fails, a damaged page. */
const partialInSqlite = [10, 11];

/** Whether other statements may work though this one failed, which it does again and again. */
export function isPartial(error: unknown): boolean {
  if (error instanceof PostgresError) return isSqlState(error.state) && partial.test(error.state);
  const { errcode } = (error ?? {}) as { readonly errcode?: unknown };
  return isDatabaseError(error) && partialInSqlite.includes(Number(errcode) & 0xff);
}

/** What went wrong with a PostgreSQL database, without the values of the statement, which may be people's words. */
export class PostgresError extends Error {
  override name = 'PostgresError';
  /** `ERR_POSTGRES_AWAY`: the same statement can work later. */
  readonly code: 'ERR_POSTGRES' | 'ERR_POSTGRES_AWAY';
  /** In words, for the operator. */
  readonly errstr: string;
  /** PostgreSQL's own code, or the system's; undefined for the library's errors, which are all about the connection. */
  readonly state: string | undefined;

  constructor(error: unknown) {
    const { message, state } = mainOf(error);
    super(message);
    this.state = state;
    this.errstr = `the database: ${message}`;
    this.code = !isSqlState(state) || passing.test(state) ? 'ERR_POSTGRES_AWAY' : 'ERR_POSTGRES';
  }

  /** It certainly did nothing: it can be made again at once. */
  get isCollision(): boolean {
    return this.state !== undefined && collision.test(this.state);
  }

  /** The connection is of no more use. */
  get endsConnection(): boolean {
    return !isSqlState(this.state) || ending.test(this.state);
  }
}

/** Whether a code is PostgreSQL's, and not the system's (`EPIPE`). */
function isSqlState(code: string | undefined): code is string {
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E');
}

/** Of several attempts to connect (IPv4, IPv6) the first. */
function mainOf(error: unknown): { readonly message: string; readonly state: string | undefined } {
  const one: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { message, code } = (one ?? {}) as { readonly message?: unknown; readonly code?: unknown };
  return { message: String(message ?? one), state: typeof code === 'string' ? code : undefined };
}

/** Does work of the library's; what fails, fails as a {@link PostgresError}, unless it's a fault of ours. */
export async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TypeError) throw error;
    throw new PostgresError(error);
  }
}

/** Whether the connection is of no more use: what became of the statement isn't known. */
export function isLost(error: unknown): boolean {
  return error instanceof PostgresError && error.endsConnection;
}

/** Whether the server, or its database or role, lets nobody more connect: an error of the library's. */
export function isCrowded(error: unknown): boolean {
  return mainOf(error).state === '53300';
}

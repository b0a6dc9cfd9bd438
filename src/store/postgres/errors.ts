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

/** Whether an address is a PostgreSQL database's, and not a SQLite file's. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(url);
}

/**
 * An address of PostgreSQL with the folder of a socket behind it (`postgres://USER:PASSWORD@/DATABASE?host=/FOLDER`), in the
 * form that URLs have: with a host, which the folder replaces.
 */
export function asUrl(address: string): string {
  return address.replace(
    /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?=(?::\d+)?\/[^?#]*\?(?:[^#]*&)?host=)/,
    '$1localhost',
  );
}

/**
 * Whether an address names a PostgreSQL server, or the folder of its socket, and a database. Its library never answers where
 * a port is none.
 */
export function isWholePostgresUrl(url: string): boolean {
  const { host, pathname = '', searchParams } = URL.parse(url) ?? {};
  const port = searchParams?.get('port') ?? '';
  const isPort = /^\d*$/.test(port) && Number(port) < 65_536;
  return isPostgresUrl(url) && isPort && Boolean(host || searchParams?.get('host')) && pathname.length > 1;
}

/** The address of a database for people to read: of a PostgreSQL database the server and the name, nothing secret. */
export function shownUrl(url: string): string {
  if (!isPostgresUrl(url)) return url;
  const { host, pathname, searchParams } = new URL(url);
  return `postgres://${searchParams.get('host') ?? host}${pathname}`;
}

/**
 * A PostgreSQL address as an argument of its own programs, quoted for a shell. Everybody on the machine can read a
 * program's arguments, so it's without the password: they ask for that, or take it from `~/.pgpass`.
 */
export function asArgument(url: string): string {
  const address = new URL(url);
  address.password = '';
  for (const name of ['password', 'sslpassword']) address.searchParams.delete(name);
  return `'${address.href.replaceAll("'", '%27')}'`;
}

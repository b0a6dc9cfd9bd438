/** The open channel, and the open thread next to it. */
export interface Route {
  readonly channel: string | undefined;
  readonly thread: string | undefined;
}

/** Reads the URL's hash: `#CHANNEL` or `#CHANNEL/THREAD`, ids only. */
export function currentRoute(): Route {
  const [channel, thread] = location.hash.slice(1).split('/');
  return { channel: channel || undefined, thread: thread || undefined };
}

/** Navigates to a channel or thread; `replace` adds no history entry. */
export function goTo(channel: string, thread?: string, replace = false): void {
  const hash = `#${channel}${thread === undefined ? '' : `/${thread}`}`;
  if (hash === location.hash) return;
  if (replace) history.replaceState(null, '', hash);
  else history.pushState(null, '', hash);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** Calls `listener` on every navigation. */
export function onRoute(listener: () => void): void {
  addEventListener('hashchange', listener);
  addEventListener('popstate', listener);
}

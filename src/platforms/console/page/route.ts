/** What is shown: a channel, and beside it one of its threads. */
export interface Route {
  readonly channel: string | undefined;
  readonly thread: string | undefined;
}

/** The place in the address: `#CHANNEL` or `#CHANNEL/THREAD`. Ids alone, so that it says nothing about content. */
export function currentRoute(): Route {
  const [channel, thread] = location.hash.slice(1).split('/');
  return { channel: channel || undefined, thread: thread || undefined };
}

/** Goes to a place; `replace` leaves no step back to where one was. */
export function goTo(channel: string, thread?: string, replace = false): void {
  const hash = `#${channel}${thread === undefined ? '' : `/${thread}`}`;
  if (hash === location.hash) return;
  if (replace) history.replaceState(null, '', hash);
  else history.pushState(null, '', hash);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** Calls `listener` whenever another place is to be shown. */
export function onRoute(listener: () => void): void {
  addEventListener('hashchange', listener);
  addEventListener('popstate', listener);
}

import { ApiError, isPageKey, keepPageKey, logInAgain } from './api.ts';
import { LiveUpdates } from './live-updates.ts';
import { Model } from './model.ts';
import { Page } from './page.ts';
import { locale, strings } from './words/index.ts';

/** Delay before the page retries to load, in milliseconds. */
const retryDelay = 1_000;

document.documentElement.lang = locale;
await start();

/** Fetches the state, shows the page, and keeps it up to date. */
async function start(): Promise<void> {
  const model = new Model();
  try {
    await keepPageKey(isPageKey);
    await model.start();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return logInAgain();
    document.body.textContent = strings.lost;
    setTimeout(() => location.reload(), retryDelay);
    return;
  }
  const page = new Page(model);
  document.body.replaceChildren(page.node);
  const version = document.querySelector<HTMLMetaElement>('meta[name="version"]')?.content ?? '';
  new LiveUpdates(model, version, (connection) => page.showConnection(connection)).start();
}

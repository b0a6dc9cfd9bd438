import { ApiError } from './api.ts';
import { Live } from './live.ts';
import { Model } from './model.ts';
import { Page } from './page.ts';
import { locale, say } from './words/index.ts';

/** How long the page waits before it tries again to begin, in milliseconds. */
const pause = 1_000;

document.documentElement.lang = locale;
await begin();

/** Fetches what there is, shows it, and keeps it up to date. */
async function begin(): Promise<void> {
  const model = new Model();
  try {
    await model.start();
  } catch (error) {
    // Without a session the server shows what to do about that.
    if (error instanceof ApiError && error.status === 401) return location.reload();
    document.body.textContent = say.lost;
    setTimeout(() => location.reload(), pause);
    return;
  }
  const page = new Page(model);
  document.body.replaceChildren(page.node);
  const version = document.querySelector<HTMLMetaElement>('meta[name="version"]')?.content ?? '';
  new Live(model, version, (connection) => page.showConnection(connection)).start();
}

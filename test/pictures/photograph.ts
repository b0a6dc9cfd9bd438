import { createCanvas, loadImage } from '@napi-rs/canvas';
import type { Page } from 'playwright-core';

/** Shows each film's middle instead of its dark beginning; runs in the page. */
const showFilms = `Promise.all([...document.querySelectorAll('video')].map((film) => new Promise((resolve) => {
  film.onseeked = resolve;
  const seek = () => { film.currentTime = film.duration / 2; };
  if (film.readyState > 0) seek(); else film.onloadedmetadata = seek;
})))`;

/** A picture of a page's content, as PNG. */
export async function photograph(page: Page, source: string): Promise<Uint8Array> {
  await page.setContent(source, { waitUntil: 'load' });
  await page.evaluate(showFilms);
  return page.locator('main').screenshot();
}

/** How well WebP keeps the pictures, of 100: text stays sharp, and a picture is a third of its PNG. */
const quality = 82;

/** A PNG as WebP. */
export async function asWebp(png: Uint8Array): Promise<Uint8Array> {
  const image = await loadImage(png);
  const canvas = createCanvas(image.width, image.height);
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas.encode('webp', quality);
}

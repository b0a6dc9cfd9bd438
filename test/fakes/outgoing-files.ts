import { fileOf } from '../../src/port/index.ts';

/** A picture as the bot posts it, of bytes that mean nothing; so are those below. */
export const image = fileOf(new Uint8Array(5), {
  name: 'image.png',
  contentType: 'image/png',
  kind: 'image',
  description: 'A cat',
});

/** A clip as an ordinary file. */
export const clip = fileOf(new Uint8Array(5), {
  name: 'speech.mp3',
  contentType: 'audio/mpeg',
  kind: 'audio',
  description: 'hello',
});

/** A film of so many bytes. */
export const film = (bytes = 100) =>
  fileOf(new Uint8Array(bytes), {
    name: 'film.mp4',
    contentType: 'video/mp4',
    kind: 'video',
    description: 'A film',
  });

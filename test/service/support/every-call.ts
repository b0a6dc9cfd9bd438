import type { ServiceClient } from '../../../src/service/index.ts';
import { ask, collect, delta, draw, film, say, stop } from './helpers.ts';
import type { Received, Reply } from './raw-server.ts';

const wav = Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1');

/** What a good answer to a request is; `/a` is a result. */
export function good(request: Received, reply: Reply): void {
  if (request.path === '/v1/audio/speech' || request.path === '/a') reply.send(200, wav);
  else if (request.path === '/v1/audio/voices') reply.json(200, ['a']);
  else if (request.path === '/v1/chat/completions' && request.json().stream) {
    reply.startEvents();
    reply.chunk(delta('a') + stop);
    reply.end();
  } else if (request.path === '/v1/chat/completions')
    reply.json(200, { choices: [{ message: { content: 'a' }, finish_reason: 'stop' }] });
  else {
    const file = request.path?.includes('video') ? 'a.mp4' : 'a.png';
    reply.json(200, { id: 'task-1', data: [{ url: `https://example.com/${file}` }] });
  }
}

/** Every call there is. */
export const calls: Record<string, { paid: boolean; run: (client: ServiceClient) => Promise<unknown> }> = {
  'chat.create': { paid: true, run: (client) => client.chat.create(ask) },
  'chat.stream': { paid: true, run: (client) => collect(client.chat.stream(ask)) },
  'speech.create': { paid: true, run: (client) => client.speech.create(say) },
  'images.create': { paid: true, run: (client) => client.images.create(draw) },
  'images.submit': { paid: true, run: (client) => client.images.submit(draw) },
  'videos.submit': { paid: true, run: (client) => client.videos.submit(film) },
  'voices.list': { paid: false, run: (client) => client.voices.list() },
  'images.status': { paid: false, run: (client) => client.images.status('a') },
  'videos.status': { paid: false, run: (client) => client.videos.status('a') },
};

import type { WireFile } from '../../api/wire.ts';
import { fileAddress } from '../api.ts';
import { element } from '../dom.ts';
import { icon } from '../layout/icons.ts';
import { sizeInWords } from '../messages/format.ts';
import { clipPlayer } from './clip.ts';
import { film } from './film.ts';
import { picture } from './picture.ts';

/** Shows a message's file: an image, a player, or a download. */
export function attachment(file: WireFile): HTMLElement {
  switch (file.kind) {
    case 'image':
      return picture(file);
    case 'audio':
    case 'voice':
      return clipPlayer(file);
    case 'video':
      return film(file);
    case 'file':
      return savedFile(file);
  }
}

function savedFile(file: WireFile): HTMLElement {
  return element(
    'a',
    { class: 'saved-file', href: fileAddress(file, true), download: file.name },
    icon('file'),
    element('span', { class: 'file-name' }, file.name),
    element('span', { class: 'file-size' }, sizeInWords(file.size)),
  );
}

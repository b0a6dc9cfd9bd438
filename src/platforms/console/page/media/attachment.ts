import type { WireFile } from '../../api/wire.ts';
import { fileUrl } from '../api.ts';
import { element } from '../elements/dom.ts';
import { formatSize } from '../elements/format.ts';
import { icon } from '../elements/icons.ts';
import { audioPlayer } from './audio-player.ts';
import { imagePreview } from './image-preview.ts';
import { videoPlayer } from './video-player.ts';

/** Shows a message's file: an image, a player, or a download. */
export function attachment(file: WireFile): HTMLElement {
  switch (file.kind) {
    case 'image':
      return imagePreview(file);
    case 'audio':
    case 'voice':
      return audioPlayer(file);
    case 'video':
      return videoPlayer(file);
    case 'file':
      return savedFile(file);
  }
}

function savedFile(file: WireFile): HTMLElement {
  return element(
    'a',
    { class: 'saved-file', href: fileUrl(file, true), download: file.name },
    icon('file'),
    element('span', { class: 'file-name' }, file.name),
    element('span', { class: 'file-size' }, formatSize(file.size)),
  );
}

import type { WireFile } from '../../api/wire.ts';
import { fileUrl } from '../api.ts';
import { button, element, icon, iconButton, pauseOthers, whenVisible } from '../elements/dom.ts';
import { formatSize } from '../elements/format.ts';
import { strings } from '../words/index.ts';
import { audioPlayer, downloadLink } from './audio-player.ts';

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

/** Shows an image; a click enlarges it. */
function imagePreview(file: WireFile): HTMLElement {
  const image = element('img', {
    src: fileUrl(file),
    alt: file.description,
    loading: 'lazy',
    decoding: 'async',
  });
  image.addEventListener('load', () => node.classList.add('picture-loaded'));
  const node = button(
    { class: 'picture', 'aria-label': strings.enlarge(file.description) },
    () => openLarge(file),
    image,
  );
  return node;
}

/** Opens an image in a dialog; Esc, the button or a click outside closes it. */
function openLarge(file: WireFile): void {
  const dialog = element('dialog', { class: 'large', 'aria-label': file.description });
  const close = iconButton('close', strings.close, () => dialog.close());
  dialog.append(
    element('img', { src: fileUrl(file), alt: file.description }),
    element('p', { class: 'large-caption' }, file.description),
    element('div', { class: 'large-tools' }, downloadLink(file), close),
  );
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  close.focus();
}

/** Creates a video player with the browser's controls. */
function videoPlayer(file: WireFile): HTMLElement {
  const video = element('video', {
    class: 'film',
    controls: true,
    playsinline: true,
    preload: 'metadata',
    'aria-label': file.description,
  });
  video.addEventListener('play', () => pauseOthers(video));
  video.addEventListener('loadedmetadata', () => {
    if (video.videoWidth > 0) video.style.aspectRatio = `${video.videoWidth} / ${video.videoHeight}`;
  });
  whenVisible(video, () => {
    // Seeking just past the start makes every browser show a frame before it plays.
    video.src = `${fileUrl(file)}#t=0.001`;
  });
  return video;
}

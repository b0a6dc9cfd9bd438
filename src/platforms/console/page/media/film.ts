import type { WireFile } from '../../api/wire.ts';
import { fileAddress } from '../api.ts';
import { element } from '../dom.ts';
import { pauseOthers, whenSeen } from './when-seen.ts';

/** A video in its message, with the browser's own controls. */
export function film(file: WireFile): HTMLElement {
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
  whenSeen(video, () => {
    // Asking for a moment just after the beginning makes every browser show a picture before it plays.
    video.src = `${fileAddress(file)}#t=0.001`;
  });
  return video;
}

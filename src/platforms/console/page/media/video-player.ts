import type { WireFile } from '../../api/wire.ts';
import { fileUrl } from '../api.ts';
import { element } from '../elements/dom.ts';
import { pauseOthers, whenVisible } from './when-visible.ts';

/** Creates a video player with the browser's controls. */
export function videoPlayer(file: WireFile): HTMLElement {
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

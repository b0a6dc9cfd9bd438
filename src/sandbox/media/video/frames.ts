import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { paintTop, type Reference } from '../drawing/overlay.ts';
import { compose } from '../drawing/picture.ts';
import type { Layer, Pen } from '../drawing/stage.ts';
import type { Size } from '../sizes.ts';

/** The scene of a video. */
export interface FrameScene extends Size {
  readonly prompt: string;
  readonly seed: number;
  readonly seconds: number;
  readonly references: readonly Reference[];
}

/** Share of the width painted beyond either edge, and how much of it the camera uses. */
const marginShare = 0.1;
const cameraShare = 0.7;

/** Layers whose depths differ by less move together. */
const sameDepth = 0.05;

/** Layers that move together, with their picture unless they are painted again for every frame. */
interface Sheet extends Layer {
  readonly picture?: Canvas;
}

/**
 * Draws the frames of a video with parallax: each layer is painted once and then shifted by whole pixels while
 * the camera moves sideways; near layers move faster.
 */
export class Frames {
  readonly #scene: FrameScene;
  readonly #margin: number;
  readonly #pen: Pen;
  readonly #sheets: readonly Sheet[];
  readonly #top: Canvas;

  constructor(scene: FrameScene) {
    const { width, height } = scene;
    this.#scene = scene;
    this.#margin = Math.round(width * marginShare);
    this.#pen = createCanvas(width, height).getContext('2d');
    this.#sheets = this.#paintSheets(compose({ ...scene, margin: this.#margin }));
    this.#top = createCanvas(width, height);
    paintTop(this.#top.getContext('2d'), scene);
  }

  /** The pixels of the frame at `seconds`, RGBA in rows. */
  at(seconds: number): Uint8ClampedArray {
    const { width, height, seconds: all } = this.#scene;
    const camera = (2 * seconds) / all - 1;
    const pen = this.#pen;
    for (const { depth, motion, paint, picture } of this.#sheets) {
      const { x = 0, y = 0, alpha = 1 } = motion?.(seconds) ?? {};
      const left = Math.round(x - camera * depth * this.#margin * cameraShare);
      pen.save();
      pen.globalAlpha = alpha;
      // What is nearest, such as rain, falls in front of the camera.
      if (picture || depth < 1) pen.translate(left, Math.round(y));
      if (picture) pen.drawImage(picture, -this.#margin, 0);
      else paint(pen, seconds);
      pen.restore();
    }
    pen.drawImage(this.#top, 0, 0);
    return pen.getImageData(0, 0, width, height).data;
  }

  /** Paints layers onto as few sheets as possible: adjacent ones that move together share one. */
  #paintSheets(layers: readonly Layer[]): Sheet[] {
    const sheets: Sheet[] = [];
    for (const layer of layers) {
      const last = sheets.at(-1);
      const isStill = [layer, last].every((one) => one && !one.live && !one.motion);
      const shares = isStill && last && Math.abs(last.depth - layer.depth) <= sameDepth;
      if (!shares) sheets.push(layer.live ? layer : { ...layer, picture: this.#blankSheet() });
      const pen = sheets.at(-1)?.picture?.getContext('2d');
      if (pen) layer.paint(pen, 0);
    }
    return sheets;
  }

  #blankSheet(): Canvas {
    const { width, height } = this.#scene;
    const canvas = createCanvas(width + 2 * this.#margin, height);
    canvas.getContext('2d').translate(this.#margin, 0);
    return canvas;
  }
}

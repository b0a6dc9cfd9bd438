import { type Color, mix } from './colors.ts';
import type { Brush, Draw, Ink } from './stage.ts';

/** Sitting, its tail curled, looking out of the picture. */
export const cat: Draw = ({ fill, line, oval, both }, { dark, lit, accent }) => {
  line(dark, 7.5, 'M16 -6C42 0 56 -12 50 -34');
  fill(dark, 'M-24 0C-30 -20 -20 -40 -13 -58 -8 -66 8 -66 13 -58 20 -40 30 -20 24 0');
  oval(dark, 0, -70, 20, 17);
  both(() => {
    fill(dark, 'M19.5 -70 18.5 -98 3 -84');
    fill(mix(dark, accent, 0.45), 'M16.5 -79 16.5 -91 8.5 -84');
    oval(accent, 8.5, -71, 3.6, 4.2);
    oval(dark, 8.5, -71, 1.1, 3.6);
    line(lit, 0.8, 'M7 -65.5C15 -66 22 -68 29 -71M7 -62C15 -62.5 22 -61 29 -60.5');
    line(lit, 1.2, 'M5.5 -2C6 -10 5 -20 5 -26');
  });
  fill(mix(accent, dark, 0.2), 'M-2.2 -66 2.2 -66 0 -63.8');
};

/** Sitting in profile, one ear hanging. */
export const dog: Draw = ({ fill, line, oval }, { dark, lit, accent, light }) => {
  line(dark, 7, 'M-20 -6C-36 -4 -46 -16 -44 -32');
  fill(dark, 'M-30 0C-36-26-20-44-8-60-6-72-2-86 12-88 20-89 26-84 27-78L19-30C19-20 19-10 26 0');
  fill(dark, 'M20 -80C34 -77 42 -75 42 -69 42 -62 30 -61 22 -60');
  fill(lit, 'M2 -86C-12 -84 -14 -66 -10 -56 -3 -54 6 -62 10 -80 8 -84 6 -86 2 -86');
  oval(light, 19, -78, 2.2, 2.4);
  oval(lit, 40, -71.5, 3, 2.4);
  line(accent, 4, 'M-6 -57C4 -52 14 -52 21 -56');
  line(lit, 1.2, 'M6 -2C6 -12 4 -20 6 -30');
};

/** On the wing. */
export const bird: Draw = ({ fill, oval }, { dark, lit, accent }) => {
  fill(lit, 'M-6 -50C-10 -80 -34 -96 -60 -100 -50 -78 -34 -54 12 -42');
  fill(dark, 'M-62-36C-40-44-20-54 10-56 30-62 44-60 50-50 40-34 10-26-20-30-36-30-50-30-62-36');
  fill(dark, 'M16 -50C12 -80 2 -94 -20 -106 -24 -82 -24 -60 -14 -42');
  fill(accent, 'M48 -54 62 -50 47 -46');
  oval(accent, 38, -52, 2);
};

/** A round fish with a striped flank. */
export const fish: Draw = ({ fill, line, oval }, { dark, accent, light }) => {
  const fin = mix(accent, dark, 0.25);
  fill(fin, 'M-50 -50 -86 -78 -78 -50 -86 -22');
  fill(fin, 'M-10 -78C2 -102 24 -98 30 -72 10 -70 0 -70 -10 -78');
  fill(accent, 'M-60 -50C-30 -90 40 -92 62 -50 40 -10 -30 -12 -60 -50');
  line(light, 7.5, 'M-20 -77C-29 -60 -29 -40 -20 -23M10 -81C1 -60 1 -40 10 -19');
  fill(fin, 'M2 -46C-10 -34 -14 -28 -20 -30 -18 -42 -12 -50 2 -46');
  oval(light, 40, -56, 7.5);
  oval(dark, 41.5, -56, 4);
};

/** At the surface, blowing. */
export const whale: Draw = ({ fill, line, oval }, { dark, lit, light }) => {
  const back = mix(mix('#4d739c', dark, 0.35), lit, 0.2);
  fill(back, 'M-62 -26C-30 -34 -10 -56 30 -56 66 -56 86 -36 86 -16 84 0 70 6 40 8 -20 10 -70 6 -78 -28');
  fill(back, 'M-78-28C-84-42-94-50-100-62-90-50-82-44-72-42-66-50-56-56-44-58-50-42-58-34-62-26');
  fill(mix(light, back, 0.25), 'M85 -14C60 -4 20 -6 -10 -10 10 8 60 12 85 -14');
  oval(light, 56, -22, 2.6);
  line(light, 5, 'M30 -58C30 -74 26 -94 10 -86M30 -58C30 -74 34 -94 50 -86');
};

/** Sitting in profile, its brush white at the tip. */
export const fox: Draw = ({ fill, oval }, { dark, light }) => {
  const fur = mix('#dc6a2c', dark, 0.2);
  const white = mix(light, dark, 0.08);
  fill(fur, 'M-12 0C-44 6 -70 -12 -62 -44 -54 -36 -44 -36 -34 -28 -26 -20 -18 -16 -10 -10');
  fill(white, 'M-62 -44C-68 -32 -66 -20 -57 -12 -50 -20 -46 -28 -43 -34 -51 -36 -57 -39 -62 -44');
  fill(fur, 'M-26 0C-32 -26 -18 -44 -4 -60 6 -66 18 -56 18 -42 20 -26 18 -12 24 0');
  fill(white, 'M8 -60C20 -52 20 -34 14 -18 6 -28 2 -44 8 -60');
  fill(dark, 'M8 0C9 -8 12 -12 16 -14 18 -8 20 -4 24 0');
  fill(fur, 'M-4 -76 -7 -103 11 -89M9 -86 13 -106 23 -85');
  fill(dark, 'M-2 -84 -4.5 -97 5 -89');
  fill(fur, 'M-6 -74C-6 -86 4 -91 14 -90 26 -88 34 -77 48 -69 45 -63 36 -60 28 -59 14 -54 -2 -58 -6 -74');
  fill(white, 'M-3 -66C8 -70 26 -66 48 -68 45 -63 36 -60 28 -59 16 -54 2 -57 -3 -66');
  oval(dark, 19, -76, 2.3, 2.6);
  oval(dark, 46.5, -68, 3, 2.6);
};

/** Sitting upright. */
export const bear: Draw = (brush, ink) => {
  const fur = mix('#7a4f2c', ink.dark, 0.25);
  drawBear(brush, ink, { fur, limbs: mix(fur, ink.dark, 0.3), muzzle: mix(fur, ink.light, 0.45), eyes: fur });
};

export const panda: Draw = (brush, ink) => {
  const [black, white] = [mix('#23242b', ink.dark, 0.2), mix('#ffffff', ink.dark, 0.06)];
  drawBear(brush, ink, { fur: white, limbs: black, muzzle: white, eyes: black });
};

function drawBear(
  { oval, line, both }: Brush,
  { dark, light }: Ink,
  { fur, limbs, muzzle, eyes }: Readonly<Record<'fur' | 'limbs' | 'muzzle' | 'eyes', Color>>,
): void {
  oval(fur, 0, -30, 29, 30);
  both(() => {
    line(limbs, 13, 'M20 -48C32 -42 34 -32 24 -24');
    oval(limbs, 21, -6, 13, 9);
    oval(limbs, 18, -91, 8.5);
  });
  oval(fur, 0, -74, 25, 22);
  oval(muzzle, 0, -67, 11.5, 9);
  both(() => {
    oval(eyes, 9.5, -77, 5.5, 6.5);
    oval(dark, 9, -77, 2.5);
    oval(light, 9.8, -78, 0.9);
  });
  oval(dark, 0, -71, 4.5, 3.2);
}

/** Upright, in a scarf. */
export const penguin: Draw = ({ fill, line, oval, both }, { dark, accent, light }) => {
  const coat = mix('#262b38', dark, 0.25);
  const beak = '#f2a03d';
  both(() => oval(beak, 11, -2, 11, 4.5));
  fill(coat, 'M0-97C18-97 23-85 23-70 35-54 37-20 22-4 12 0-12 0-22-4-37-20-35-54-23-70-23-85-18-97 0-97');
  fill(mix(light, '#ffffff', 0.6), 'M0 -68C22 -68 30 -30 18 -8 8 -3 -8 -3 -18 -8 -30 -30 -22 -68 0 -68');
  both(() => {
    oval(light, 8.5, -79, 8.5, 9);
    oval(dark, 6.5, -79, 2.4, 2.9);
    fill(coat, 'M25 -60C38 -50 44 -36 41 -22 32 -28 27 -40 25 -60');
  });
  fill(beak, 'M-6 -74 6 -74 0 -65');
  line(accent, 7, 'M-21 -62C-8 -55 8 -55 21 -62M14 -58C18 -50 18 -44 16 -38');
};

/** Upright, its ears up. */
export const rabbit: Draw = ({ fill, line, oval, both }, { dark, accent, light }) => {
  const fur = mix(mix(light, '#b79c86', 0.4), dark, 0.12);
  const pink = mix(accent, fur, 0.45);
  both(() => {
    fill(fur, 'M3 -68C1 -86 6 -106 14 -105 22 -103 20 -84 13 -66');
    fill(pink, 'M7 -72C6 -86 9 -99 13 -98 17 -97 16 -84 12 -71');
  });
  oval(fur, 0, -24, 24, 24);
  oval(mix(fur, light, 0.5), 0, -20, 13, 16);
  both(() => oval(mix(fur, dark, 0.12), 13, -4, 11, 5));
  oval(fur, 0, -58, 19.5, 17);
  both(() => {
    oval(dark, 8, -61, 2.5, 3.2);
    oval(pink, 11.5, -53, 3.5, 2.2);
    line(dark, 0.7, 'M6 -52C13 -52 19 -54 24 -57M6 -50.500C13 -50 19 -50 24 -50');
  });
  fill(pink, 'M-3 -56 3 -56 0 -52.5');
};

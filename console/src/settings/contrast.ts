import { accentProblem, contrast } from '@bailiwick/texts/accent.ts';

/** The contrast of white text on a colour, if it is one, and whether the service accepts it. */
export const contrastOf = (color: string): { ratio: string; isEnough: boolean } | undefined =>
  /^#[0-9a-f]{6}$/i.test(color)
    ? {
        // Rounded down, so that a refused ratio never reads as the least one.
        ratio: (Math.floor(contrast(color, '#ffffff') * 10) / 10).toFixed(1),
        isEnough: accentProblem(color) === undefined,
      }
    : undefined;

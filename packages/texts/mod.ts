export { accentColors, accentProblem, contrast } from './accent.ts';
export { readMailTexts, readPageTexts, shippedLocales } from './catalogue.ts';
export {
  declarationsOf,
  fontFamily,
  iconSvg,
  markPath,
  palette,
  paletteStyle,
  productName,
} from './face.ts';
export { escapeHtml, fill, isolated, isolatedHtml, placeholdersIn, type Values } from './fill.ts';
export { acceptedLocales, chooseLocale, fallbackLocale, localesLike } from './languages.ts';

export { accentColors, accentProblem, contrast } from './accent.ts';

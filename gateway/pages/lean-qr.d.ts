// The gateway serves the library under this name: see pages.ts.
export { generate } from 'lean-qr';

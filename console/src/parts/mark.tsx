import { markPath } from '@bailiwick/texts/face.ts';

/** The mark of the product, beside its name. */
export const Mark = ({ size = 22 }: { size?: number }) => (
  <svg aria-hidden="true" width={size} height={size} viewBox="0 0 32 32" className="console-mark">
    <path d={markPath} />
  </svg>
);

// Line drawings of 24 by 24, beside a text that says the same.

const drawings = {
  app: 'M4 5h16v14H4zM4 9h16M7 7h.01M10 7h.01',
  bot: 'M5 9h14v10H5zM12 9V5M12 4v.01M9 13v1M15 13v1M2 13v3M22 13v3',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4',
  building: 'M5 21V4h9v17M14 9h5v12M3 21h18M8 8h3M8 12h3M8 16h3',
  chat: 'M4 5h16v11H10l-4 4v-4H4zM8 9h8M8 12h5',
  check: 'm5 12 5 5L20 7',
  chevron: 'm8 10 4 4 4-4',
  code: 'm8 8-5 4 5 4M16 8l5 4-5 4M14 5l-4 14',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  devices: 'M3 5h13v10H3zM1 18h17M18 9h4v11h-4z',
  dots: 'M5 11.5a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1M12 11.5a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1M19 11.5a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  brush: 'M14 4 20 10 11 16 8 13zM8 13c-3 0-3 3-5 6 4 1 7 0 8-3',
  book: 'M5 4h13v16H5zM9 4v16M12 8h3M12 12h3',
  gear: 'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M5.6 18.4l2.1-2.1M16.3 7.7l2.1-2.1',
  globe:
    'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M3 12h18M12 3c3 3 3.5 6 3.5 9s-.5 6-3.5 9c-3-3-3.5-6-3.5-9S9 6 12 3',
  history: 'M4 12a8 8 0 1 0 2.5-5.8M4 4v4h4M12 8v4l3 2',
  home: 'm3 11 9-8 9 8M5 10v10h5v-6h4v6h5V10',
  key: 'M7.5 12.5a4 4 0 1 0 0 8 4 4 0 0 0 0-8M10.5 13.5 20 4M16 8l3 3M13 11l2 2',
  language: 'M4 6h9M8 4v2M11 6c-1 4-4 7-7 8M6 9c1 3 4 5 7 5M13 20l4-10 4 10M14.5 17h5',
  login: 'M14 4h5v16h-5M4 12h11M11 8l4 4-4 4',
  mail: 'M3 6h18v12H3zM3 7l9 7 9-7',
  moon: 'M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10',
  out: 'M10 4H5v16h5M9 12h11M16 8l4 4-4 4',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2 20c0-4 3-6 7-6s7 2 7 6M16 4.5a3.5 3.5 0 0 1 0 6M18 14.5c2.5.7 4 2.5 4 5.5',
  plus: 'M12 5v14M5 12h14',
  question:
    'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .9-1 1.7M12 16.5v.01',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5 21 21',
  shield: 'M12 3 5 6v5c0 5 3 8 7 10 4-2 7-5 7-10V6z',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  tree: 'M9 3h6v5H9zM3 16h6v5H3zM15 16h6v5h-6zM12 8v4M6 16v-4h12v4',
  upload: 'M12 15V4M7 8l5-5 5 5M5 20h14',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21c0-4.5 3.5-7 8-7s8 2.5 8 7',
  warning: 'M12 4 2.5 20h19zM12 10v5M12 17.5v.01',
} as const;

export type IconName = keyof typeof drawings;

export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg
    aria-hidden="true"
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.75"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={drawings[name]} />
  </svg>
);

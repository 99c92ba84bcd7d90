import { mix } from '@bailiwick/texts/accent.ts';
import { fontFamily, palette, type Scheme } from '@bailiwick/texts/face.ts';
import {
  Alert,
  Badge,
  Button,
  type CSSVariablesResolver,
  createTheme,
  Drawer,
  type MantineColorsTuple,
  Menu,
  Modal,
} from '@mantine/core';
import { returnFocus } from './focus-return.ts';

// The colours are those of packages/texts/face.ts, as the tuples that the components expect.

const { light, dark: night } = palette;

/** Ten shades from light to dark. White text is readable on the last four. */
const shadesOf = (color: string) =>
  [
    ...[0.94, 0.87, 0.72, 0.55, 0.38, 0.22, 0.09].map((share) => mix(color, light.card, share)),
    color,
    ...[0.14, 0.28].map((share) => mix(color, light.text, share)),
  ] as unknown as MantineColorsTuple;

/** Greys between the ground and the text of the light scheme. */
const gray = [
  light.page,
  light.saidGround,
  mix(light.saidGround, light.line, 0.5),
  light.line,
  mix(light.line, light.edge, 0.3),
  mix(light.line, light.edge, 0.7),
  light.edge,
  light.quiet,
  mix(light.quiet, light.text, 0.4),
  light.text,
] as unknown as MantineColorsTuple;

/** The same for the dark scheme, from the text to the ground. */
const dark = [
  night.text,
  mix(night.text, night.quiet, 0.5),
  night.quiet,
  night.edge,
  night.line,
  mix(night.line, night.saidGround, 0.5),
  night.saidGround,
  night.card,
  mix(night.card, night.page, 0.5),
  night.page,
] as unknown as MantineColorsTuple;

// Three sizes of text beside the title of a page, two weights, and distances on a grid of 4 pixels.
const [small, normal, large, title] = ['0.75rem', '0.875rem', '1rem', '1.375rem'] as const;
const spaces = { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.25rem', xl: '2rem' };
const radii = { xs: '0.125rem', sm: '0.25rem', md: '0.375rem', lg: '0.5rem', xl: '1rem' };

const quick = { duration: 120 };

export const theme = createTheme({
  colors: {
    accent: shadesOf(light.accent),
    gray,
    dark,
    red: shadesOf(light.failed),
    orange: shadesOf(light.warned),
    teal: shadesOf(light.done),
    green: shadesOf(light.done),
  },
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  defaultRadius: 'md',
  radius: radii,
  spacing: spaces,
  shadows: { xs: 'none', sm: 'none', md: 'none', lg: 'none', xl: 'none' },
  fontFamily,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: small, sm: normal, md: normal, lg: large, xl: large },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.5' },
  headings: {
    fontWeight: '600',
    textWrap: 'balance',
    sizes: {
      h1: { fontSize: title, lineHeight: '1.3' },
      h2: { fontSize: title, lineHeight: '1.3' },
      h3: { fontSize: large, lineHeight: '1.4' },
      h4: { fontSize: large, lineHeight: '1.4' },
      h5: { fontSize: normal, lineHeight: '1.45' },
      h6: { fontSize: normal, lineHeight: '1.45' },
    },
  },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Badge: Badge.extend({ styles: { root: { minWidth: 'max-content' } } }),
    // A long text has several lines on a phone.
    Button: Button.extend({
      styles: {
        root: { height: 'auto' },
        // Without its border of a pixel on each side.
        inner: { minHeight: 'calc(var(--button-height) - 2px)', paddingBlock: 4 },
        label: { whiteSpace: 'normal', lineHeight: 1.4, overflow: 'visible' },
      },
    }),
    Alert: Alert.extend({ styles: { title: { color: 'var(--mantine-color-text)' } } }),
    // A menu is in the landmark of its button, and has nothing but its items.
    Menu: Menu.extend({
      defaultProps: {
        withinPortal: false,
        withInitialFocusPlaceholder: false,
        transitionProps: quick,
      },
    }),
    Modal: Modal.extend({ defaultProps: { ref: returnFocus, transitionProps: quick } }),
    Drawer: Drawer.extend({ defaultProps: { ref: returnFocus, transitionProps: quick } }),
    // The page has one banner: its own header.
    ModalHeader: Modal.Header.extend({ defaultProps: { role: 'none' } }),
    DrawerHeader: Drawer.Header.extend({ defaultProps: { role: 'none' } }),
  },
});

/** The grounds and texts of the quiet variants, such as a hint or the view that is open. */
const lightVariants = (colors: Scheme, strength: number) =>
  Object.fromEntries(
    Object.entries({
      accent: colors.accent,
      red: colors.failed,
      orange: colors.warned,
      teal: colors.done,
      green: colors.done,
      gray: colors.quiet,
    }).flatMap(([name, color]) => [
      [`--mantine-color-${name}-light`, mix(colors.card, color, strength)],
      [`--mantine-color-${name}-light-hover`, mix(colors.card, color, strength * 1.5)],
      [`--mantine-color-${name}-light-color`, color],
      [`--mantine-color-${name}-text`, color],
    ]),
  );

const variablesOf = (colors: Scheme, strength: number) => ({
  ...lightVariants(colors, strength),
  '--mantine-color-body': colors.card,
  '--mantine-color-text': colors.text,
  '--mantine-color-dimmed': colors.quiet,
  '--mantine-color-placeholder': colors.quiet,
  '--mantine-color-error': colors.failed,
  '--mantine-color-anchor': colors.accent,
  '--mantine-color-default-border': colors.line,
  '--console-ground': colors.page,
  '--console-line': colors.line,
  '--console-edge': colors.edge,
});

export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: variablesOf(light, 0.08),
  dark: variablesOf(night, 0.12),
});

import {
  Alert,
  Badge,
  Button,
  type CSSVariablesResolver,
  createTheme,
  DEFAULT_THEME,
  Drawer,
  type MantineColorsTuple,
  Menu,
  Modal,
} from '@mantine/core';
import { returnFocus } from './focus-return.ts';

// The colours of the sign-in pages. Text has a contrast of 4.5 to 1 or more in both schemes.

const accent: MantineColorsTuple = [
  '#eef3fd',
  '#dbe5fb',
  '#b3ccff',
  '#8fb3ff',
  '#5f8ff0',
  '#3d73e0',
  '#2a60d2',
  '#1c4fc2',
  '#163f9c',
  '#0f2f78',
];

const dark: MantineColorsTuple = [
  '#e9ecf1',
  '#c9cfd9',
  '#aab2bf',
  '#7f899a',
  '#4a5361',
  '#323945',
  '#222833',
  '#191d25',
  '#141820',
  '#101319',
];

// White text on the darkest orange of Mantine has a contrast of 4.2 to 1 only.
const orange = [
  ...DEFAULT_THEME.colors.orange.slice(0, 9),
  '#b5380b',
] as unknown as MantineColorsTuple;

export const theme = createTheme({
  colors: { accent, dark, orange },
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  defaultRadius: 'md',
  fontFamily: 'system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  headings: { fontWeight: '650' },
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
        label: { whiteSpace: 'normal' },
      },
    }),
    Alert: Alert.extend({ styles: { title: { color: 'var(--mantine-color-text)' } } }),
    // A menu is in the landmark of its button, and has nothing but its items.
    Menu: Menu.extend({
      defaultProps: { withinPortal: false, withInitialFocusPlaceholder: false },
    }),
    Modal: Modal.extend({ defaultProps: { ref: returnFocus } }),
    Drawer: Drawer.extend({ defaultProps: { ref: returnFocus } }),
    // The page has one banner: its own header.
    ModalHeader: Modal.Header.extend({ defaultProps: { role: 'none' } }),
    DrawerHeader: Drawer.Header.extend({ defaultProps: { role: 'none' } }),
  },
});

export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#1a1f29',
    '--mantine-color-dimmed': '#4a5361',
    '--mantine-color-error': '#a8231a',
    '--mantine-color-anchor': '#1c4fc2',
    '--console-ground': '#f2f4f7',
    '--console-line': '#dbe0e8',
  },
  dark: {
    '--mantine-color-body': '#191d25',
    '--mantine-color-text': '#e9ecf1',
    '--mantine-color-dimmed': '#aab2bf',
    '--mantine-color-error': '#ffa59e',
    '--mantine-color-anchor': '#8fb3ff',
    '--console-ground': '#101319',
    '--console-line': '#323945',
  },
});

import {
  Group,
  NativeSelect,
  SegmentedControl,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core';
import { Icon, type IconName } from '../parts/icon.tsx';
import { languageName } from '../parts/language-name.ts';
import type { TextKey } from '../parts/text-keys.ts';
import { locales, useTexts } from '../parts/texts.tsx';

type Scheme = 'light' | 'dark' | 'auto';

const schemes: ReadonlyArray<{ value: Scheme; icon: IconName; text: TextKey }> = [
  { value: 'light', icon: 'sun', text: 'scheme.light' },
  { value: 'dark', icon: 'moon', text: 'scheme.dark' },
  { value: 'auto', icon: 'devices', text: 'scheme.auto' },
];

/** The language and the colours. */
export function Preferences() {
  const { t, locale, choose } = useTexts();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Group gap="xs" justify="space-between" wrap="nowrap">
      <NativeSelect
        aria-label={t('shell.language')}
        leftSection={<Icon name="language" size={16} />}
        size="xs"
        flex={1}
        miw={0}
        value={locale}
        data={locales.map((name) => ({ value: name, label: languageName(name) }))}
        onChange={(event) => void choose(event.currentTarget.value)}
      />
      <SegmentedControl
        aria-label={t('scheme.label')}
        size="xs"
        flex="none"
        value={colorScheme}
        onChange={(scheme) => setColorScheme(scheme)}
        data={schemes.map(({ value, icon, text }) => ({
          value,
          label: (
            <span title={t(text)} style={{ display: 'block', height: 16 }}>
              <Icon name={icon} size={16} />
              <VisuallyHidden>{t(text)}</VisuallyHidden>
            </span>
          ),
        }))}
      />
    </Group>
  );
}

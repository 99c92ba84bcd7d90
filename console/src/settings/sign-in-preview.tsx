import { accentColors } from '@bailiwick/texts/accent.ts';
import { Group, Stack, Text } from '@mantine/core';
import { State } from '../parts/state.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';
import { contrastOf } from './contrast.ts';

export type BrandingFields = {
  name: string;
  color: string;
  /** The address of the stored logo, or a new one as a data URL; '' = none. */
  logo: string;
  terms: string;
  privacy: string;
};

const schemes = {
  light: { ground: '#ffffff', text: '#1a1f29', line: '#dbe0e8', onAccent: '#ffffff' },
  dark: { ground: '#191d25', text: '#e9ecf1', line: '#323945', onAccent: '#101319' },
} as const;

/** The sign-in page with the values of the form, in both schemes. */
export function SignInPreview({ branding }: { branding: BrandingFields }) {
  const { t } = useTexts();
  const contrast = contrastOf(branding.color);
  return (
    <Stack gap="sm">
      <Text size="sm" fw={500}>
        {t('settings.preview')}
      </Text>
      <Page branding={branding} scheme="light" />
      <Page branding={branding} scheme="dark" />
      {contrast && (
        <Group gap="xs" role="status">
          <State color={contrast.isEnough ? 'teal.9' : 'red.9'}>{contrast.ratio} : 1</State>
          <Text size="sm">{t(contrast.isEnough ? 'settings.isEnough' : 'settings.isLow')}</Text>
        </Group>
      )}
    </Stack>
  );
}

function Page({ branding, scheme }: { branding: BrandingFields; scheme: keyof typeof schemes }) {
  const { t } = useTexts();
  const { Name } = useTenant();
  const { ground, text, line, onAccent } = schemes[scheme];
  const accents = accentColors(contrastOf(branding.color) ? branding.color : '');
  return (
    <div
      role="img"
      aria-label={t(scheme === 'light' ? 'settings.previewLight' : 'settings.previewDark')}
      style={{ background: ground, color: text, border: `1px solid ${line}`, borderRadius: 8 }}
    >
      <Stack p="md" gap="xs">
        {branding.logo !== '' && (
          <img
            src={branding.logo}
            alt=""
            style={{ maxHeight: 40, maxWidth: 160, alignSelf: 'start' }}
          />
        )}
        <span style={{ fontWeight: 650 }}>{branding.name || Name}</span>
        <span style={{ border: `1px solid ${line}`, borderRadius: 6, padding: '4px 8px' }}>
          ada@example.com
        </span>
        <span
          style={{
            background: accents[scheme],
            color: onAccent,
            borderRadius: 6,
            padding: '6px 8px',
            textAlign: 'center',
          }}
        >
          {t('settings.previewButton')}
        </span>
      </Stack>
    </div>
  );
}

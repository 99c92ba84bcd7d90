{{/*
A token's last six characters (packages/contract/values/tokens.ts): the CRC-32 of the characters before them,
in base 62. The template language has neither CRC nor XOR, so this works bit by bit, with a ^ b = a
+ b - 2 * (a & b), and tests the polynomial's 14 set bits one by one.
*/}}
{{- define "bailiwick.evaluation.checksum" -}}
{{- $text := . -}}
{{- $polynomial := 3988292384 -}}
{{- $bits := list 32 256 512 32768 524288 1048576 2097152 8388608 16777216 67108864 134217728 536870912 1073741824 2147483648 -}}
{{- $crc := 4294967295 -}}
{{- range $position := until (len $text) -}}
{{- range $power := list 1 2 4 8 16 32 64 128 -}}
{{- $isOne := ne (mod $crc 2) (mod (div (index $text $position | int) $power) 2) -}}
{{- $crc = div $crc 2 -}}
{{- if $isOne -}}
{{- $common := 0 -}}
{{- range $bit := $bits -}}
{{- if eq 1 (mod (div $crc $bit) 2 | int) -}}{{- $common = add $common $bit -}}{{- end -}}
{{- end -}}
{{- $crc = sub (add $crc $polynomial) (mul 2 $common) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $crc = sub 4294967295 $crc -}}
{{- $alphabet := splitList "" "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" -}}
{{- $digits := "" -}}
{{- range until 6 -}}
{{- $digits = printf "%s%s" (index $alphabet (mod $crc 62 | int)) $digits -}}
{{- $crc = div $crc 62 -}}
{{- end -}}
{{- $digits -}}
{{- end -}}

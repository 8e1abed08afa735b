#!/bin/sh
# Installs Lectern for one person, without root: ./install.sh [--remove]
set -e
here=$(cd "$(dirname "$0")" && pwd)
share=${XDG_DATA_HOME:-$HOME/.local/share}
place=$HOME/.local/lib/lectern

if [ "$1" = --remove ]; then
    rm -rf "$place"
    rm -f "$HOME/.local/bin/lectern" "$share/applications/lectern.desktop"
    rm -f "$share/icons/hicolor/scalable/apps/lectern.svg"
    echo "Lectern is removed. Your libraries and settings stay: $share/lectern, ~/.config/lectern."
    exit 0
fi

mkdir -p "$HOME/.local/bin" "$share/applications" "$share/icons/hicolor/scalable/apps"
rm -rf "$place.new"
mkdir -p "$(dirname "$place")"
cp -a "$here" "$place.new"
rm -rf "$place"
mv "$place.new" "$place"
ln -sf "$place/lectern" "$HOME/.local/bin/lectern"
cp "$place/_internal/resources/icons/lectern.svg" "$share/icons/hicolor/scalable/apps/"
sed "s|^Exec=lectern|Exec=$place/lectern|" "$place/lectern.desktop" > "$share/applications/lectern.desktop"
echo "Lectern is installed in $place; \`lectern self-test\` tries it."
command -v tesseract > /dev/null || echo "Scanned pages need Tesseract: sudo apt install tesseract-ocr"

#!/bin/sh
# Installs Lectern for one person, without root: ./install.sh [--remove]
set -e
here=$(cd "$(dirname "$0")" && pwd)
share=${XDG_DATA_HOME:-$HOME/.local/share}
place=$HOME/.local/lib/lectern

remove() {
    if [ -d "$place/share" ]; then
        (cd "$place/share" && find . -type f) | while read -r file; do rm -f "$share/$file"; done
    fi
    rm -rf "$place"
    rm -f "$HOME/.local/bin/lectern"
}

if [ "$1" = --remove ]; then
    remove
    echo "Lectern is removed. Your libraries and settings stay: $share/lectern, ~/.config/lectern."
    exit 0
fi

case $place in
    *[\"\$\`\\%]*)
        echo "The entries for menus cannot name $place: leave out \" \$ \` \\ and %." >&2
        exit 1 ;;
esac
mkdir -p "$HOME/.local/bin" "$share" "$(dirname "$place")"
rm -rf "$place.new"
cp -a "$here" "$place.new"
remove
mv "$place.new" "$place"
ln -sf "$place/lectern" "$HOME/.local/bin/lectern"
cp -R "$place/share/." "$share/"
named=$(printf %s "$place" | sed 's/[&|]/\\&/g')
(cd "$place/share" && find applications dbus-1 kio nemo nautilus-python -type f 2> /dev/null || :) |
    while read -r file; do
        sed -e "s|^Exec=\(/usr/bin/\)*\(lectern[a-z-]*\)|Exec=\"$named/\2\"|" \
            -e "s|^PROGRAM = \"\(lectern[a-z-]*\)|PROGRAM = \"$named/\1|" "$place/share/$file" > "$share/$file"
    done
echo "Lectern is installed in $place; \`lectern self-test\` tries it."

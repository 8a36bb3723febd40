"""The actions of the UI, a module for each part of it; :mod:`inspector.ui.actions` puts them together."""

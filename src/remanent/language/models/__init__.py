"""Language work by a model: any provider, with all that can go wrong there caught here."""

from remanent.language.models.call import Endpoint, ModelSelection, check_roles
from remanent.language.models.engine import ModelEngine
from remanent.language.models.meter import RoleUsage

__all__ = ["Endpoint", "ModelEngine", "ModelSelection", "RoleUsage", "check_roles"]

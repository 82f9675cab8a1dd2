"""Language work by a model: any provider, with all that can go wrong there caught here."""

from remanent.language.models.call import Choice, Place, check_roles
from remanent.language.models.engine import ModelEngine
from remanent.language.models.meter import Metered

__all__ = ["Choice", "Metered", "ModelEngine", "Place", "check_roles"]
